/** Is the service alive, and can it do its work? Plain text, for probes, without a token. */
import type { Hono } from 'hono'
import type { Api } from '../deps.ts'

interface Check {
  readonly name: string
  readonly passes: () => Promise<boolean>
}

const ping: Check = { name: 'ping', passes: async () => true }

export function mountHealth(app: Hono, api: Api): void {
  const store: Check = { name: 'store', passes: () => storeAnswers(api) }
  const checks = { healthz: [ping], livez: [ping], readyz: [ping, store] }
  for (const [name, list] of Object.entries(checks)) {
    app.get(`/${name}`, ({ req }) => probe(name, list, req.query('verbose') !== undefined))
  }
}

async function probe(name: string, checks: readonly Check[], verbose: boolean): Promise<Response> {
  const results = await Promise.all(
    checks.map(async (check) => ({ name: check.name, passed: await check.passes() })),
  )
  const passed = results.every((result) => result.passed)
  const lines = results.map((result) =>
    result.passed ? `[+]${result.name} ok\n` : `[-]${result.name} failed: reason withheld\n`,
  )
  const verdict = `${name} check ${passed ? 'passed' : 'failed'}\n`
  const text = passed && !verbose ? 'ok' : lines.join('') + verdict
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(text, { status: passed ? 200 : 500, headers })
}

/** A real question with a short budget: a store that answers late is not ready either. */
async function storeAnswers({ store, settings, log }: Api): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), settings.readyBudgetMs)
  })
  const answer = store.records.get('readiness').then(
    () => true,
    (error: unknown) => {
      log({ level: 'warn', message: 'the store does not answer', error })
      return false
    },
  )
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
