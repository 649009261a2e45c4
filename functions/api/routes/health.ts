/** Is the service alive, and can it do its work? Plain text, for probes, without a token. */
import type { Hono } from 'hono'
import type { ApiContext } from '../deps.ts'

interface Check {
  readonly name: string
  readonly passes: () => Promise<boolean>
}

const ping: Check = { name: 'ping', passes: async () => true }

export function mountHealth(app: Hono, api: ApiContext): void {
  const store: Check = { name: 'store', passes: atMostEvery(READY_FRESH_MS, api) }
  const checks = { healthz: [ping], livez: [ping], readyz: [ping, store] }
  for (const [name, list] of Object.entries(checks)) {
    app.get(`/${name}`, ({ req }) => probe(name, list, req.query('verbose') !== undefined))
  }
}

/** Callers without a token may ask: however many do, the table is read once in this time. */
const READY_FRESH_MS = 1_000

function atMostEvery(freshMs: number, api: ApiContext): () => Promise<boolean> {
  let askedAtMs = Number.NEGATIVE_INFINITY
  let last: Promise<boolean> | undefined
  return () => {
    const nowMs = api.clock()
    if (last && nowMs >= askedAtMs && nowMs - askedAtMs < freshMs) return last
    askedAtMs = nowMs
    last = storeAnswers(api)
    return last
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

/** One real read with a short time limit: a store that responds late is not ready either. */
async function storeAnswers({ store, settings, log }: ApiContext): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), settings.readyBudgetMs)
  })
  const read = store.records.get('readiness').then(
    () => true,
    (error: unknown) => {
      log({ level: 'warn', message: 'the store does not answer', error })
      return false
    },
  )
  try {
    return await Promise.race([read, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
