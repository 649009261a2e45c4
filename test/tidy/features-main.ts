/**
 * `npm run features [-- NAME ...]`: removes one feature at a time in a copy, then type-checks the
 * rest and runs its unit tests.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Feature, features } from './features.ts'
import { copyWithout } from './remove-feature.ts'

const TRIALS = [
  ['tsc', '--noEmit'],
  ['tsc', '--noEmit', '-p', 'dashboard'],
  // What only the feature used is left over and counts as unused.
  ['vitest', 'run', '--project', 'unit', '--testNamePattern', '^(?!.*export without a user)'],
]

/** The first trial that fails, with its output; undefined when all pass. */
function firstFailure(folder: string): string | undefined {
  for (const [program = '', ...args] of TRIALS) {
    const run = spawnSync(join(folder, 'node_modules/.bin', program), args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    })
    if (run.status !== 0) return `${program} ${args.join(' ')}\n${run.stdout}${run.stderr}`
  }
  return undefined
}

/** What failed, without the thousands that passed. */
const relevantLines = (output: string) =>
  output
    .split('\n')
    .filter((line) => /FAIL|Error|error|✗|×/.test(line))
    .slice(0, 60)
    .join('\n')

function prove(feature: Feature): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-without-'))
  const startMs = performance.now()
  try {
    copyWithout(feature, folder)
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    const failure = firstFailure(folder)
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0)
    console.log(`${failure ? 'FAILED' : 'ok'}  without ${feature.name}  (${seconds} s)`)
    if (failure) console.log(relevantLines(failure))
    return failure === undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !features.some((feature) => feature.name === name))
if (unknown.length > 0) {
  const known = features.map(({ name }) => name).join(', ')
  console.error(`no feature ${unknown.join(', ')}; there is ${known}`)
  process.exit(2)
}
const chosen = features.filter(({ name }) => asked.length === 0 || asked.includes(name))
const failed = chosen.map(prove).filter((isProven) => !isProven).length
console.log(`${chosen.length - failed} of ${chosen.length} features can be deleted`)
process.exit(failed === 0 ? 0 : 1)
