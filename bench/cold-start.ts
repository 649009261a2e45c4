/**
 * How much does a cold function load, and how long does that take, against the least it could load?
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bundle, bundle, bundleFile, functionNames } from '../infra/bundle.ts'
import { type Bench, median, printTable } from './bench.ts'

const ROUNDS = 15
const BUDGET = 1.2
const BASELINE = 'hono + client-dynamodb'

/** What Lambda would set; nothing is called, but a handler may read its settings as it loads. */
const environment = {
  ...process.env,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  LEASEHOLD_STAGE: 'bench',
  LEASEHOLD_TABLE_PREFIX: 'leasehold-bench',
  LEASEHOLD_NODE_KEY_ID: 'node',
  LEASEHOLD_ADMIN_KEY_ID: 'admin',
  LEASEHOLD_API_URL: 'https://localhost',
  LEASEHOLD_EVENT_BUS: 'bus',
  LEASEHOLD_DEAD_LETTER_QUEUE: 'https://localhost/queue',
}

export const bench: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'))
  try {
    const baseline = bundleFile('bench/baseline/hono-and-dynamodb.ts', join(folder, 'baseline'))
    return compare(
      new Map([
        [BASELINE, baseline],
        ...functionNames.map((name) => [name, bundle(name, folder)] as const),
      ]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function compare(bundles: ReadonlyMap<string, Bundle>) {
  const initMs = measure(bundles)
  const sizes = new Map([...bundles].map(([name, { initBytes }]) => [name, initBytes]))
  const of = (values: ReadonlyMap<string, number>, name: string) => values.get(name) ?? Number.NaN
  const ratio = (values: ReadonlyMap<string, number>, name: string) =>
    of(values, name) / of(values, BASELINE)
  printTable(
    [...bundles.keys()].map((name) => ({
      bundle: name,
      KB: (of(sizes, name) / 1024).toFixed(0),
      'x size': ratio(sizes, name).toFixed(2),
      'init ms': of(initMs, name).toFixed(1),
      'x init': ratio(initMs, name).toFixed(2),
    })),
  )
  return [
    { name: 'cold-start size api', ratio: ratio(sizes, 'api'), budget: BUDGET },
    { name: 'cold-start init api', ratio: ratio(initMs, 'api'), budget: BUDGET },
  ]
}

/** Rounds go over all bundles in turn, so that a busy moment of the machine hits them alike. */
function measure(bundles: ReadonlyMap<string, Bundle>): Map<string, number> {
  const times = new Map<string, number[]>([...bundles.keys()].map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, { file }] of bundles) times.get(name)?.push(initMs(file))
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

function initMs(file: string): number {
  const script = `
    globalThis.awslambda = { streamifyResponse: (handler) => handler }
    const start = performance.now()
    await import(${JSON.stringify(pathToFileURL(file).href)})
    process.stdout.write(String(performance.now() - start))
    process.exit(0)`
  const node = process.execPath
  return Number(
    execFileSync(node, ['--input-type=module', '-e', script], { env: environment }).toString(),
  )
}
