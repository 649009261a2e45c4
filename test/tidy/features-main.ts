/**
 * `npm run features [-- NAME ...]`: removes one feature at a time in a copy, then type-checks the
 * rest and runs its unit tests.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { type Feature, features } from './features.ts'
import { copyWithout } from './remove-feature.ts'

/** Tests that write a page of docs/ from the lists. */
const WRITERS = ['test/shared/lifecycle/metrics/catalogue.test.ts']

const TRIALS = [
  ['tsc', '--noEmit'],
  ['tsc', '--noEmit', '-p', 'dashboard'],
  // Documents that tests write lose the feature's lines.
  ['vitest', 'run', '--project', 'unit', ...WRITERS, '--update'],
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

function proveAll(asked: readonly string[]): number {
  const known = features.map(({ name }) => name)
  const unknown = asked.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`no feature ${unknown}: there is ${known.join(', ')}`)
  const chosen = features.filter(({ name }) => asked.length === 0 || asked.includes(name))
  const failed = chosen.map(prove).filter((isProven) => !isProven).length
  console.log(`${chosen.length - failed} of ${chosen.length} features can be deleted`)
  return failed === 0 ? 0 : 1
}

const program: Program = {
  call: 'npm run features --',
  summary: 'Removes one feature at a time in a copy, type-checks the rest and runs its unit tests.',
  operands: { shown: '[NAME] ...', least: 0, most: features.length },
  run: (_values, names) => proveAll(names),
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
