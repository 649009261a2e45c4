/**
 * A process that plays mutants; `players.ts` starts it and sends it orders. It loads a test file
 * once and runs of it, for every mutant, the tests that reach it.
 */
import type { CoveringTest } from './coverage.ts'
import { loadThroughRecorder, loadWithSwitches, sweptSources } from './loading.ts'
import type { RecordedTest } from './recorder.ts'
import { immediate, installSwitchboard, watchForEnd } from './switchboard.ts'

export interface Order {
  readonly mutant: string
  readonly tests: readonly CoveringTest[]
  /** On before the first file is loaded: for what runs only then. The process is for this one. */
  readonly whileLoading: boolean
}

export type Answer =
  | { readonly kind: 'survived' }
  | {
      readonly kind: 'caught'
      readonly by: string
      /** The test fails on without the mutant: this process has been spoiled, now or before. */
      readonly isSpoiled: boolean
    }

const maxAsked = (asked: number) => 1_000_000 + 20 * asked

const sources = sweptSources()
const mutants = [...sources.values()].flatMap(({ mutants }) => mutants)
const numbers = new Map(mutants.map((mutant, number) => [mutant, number]))
const numbersById = new Map(mutants.map(({ id }, number) => [id, number]))
const switchboard = installSwitchboard()
loadWithSwitches(sources, (mutant) => numbers.get(mutant)!)
loadThroughRecorder()
// Only now: these ask for vitest themselves.
await import('../fuzz-seed.ts')
const { loadTests, measureCoverage } = await import('./measure-coverage.ts')
const { runTests } = await import('./recorder.ts')

let stray: unknown
const noteStray = (error: unknown) => {
  stray ??= error ?? new Error('an empty failure')
}
process.on('unhandledRejection', noteStray)
process.on('uncaughtException', noteStray)

const loaded = new Map<string, readonly RecordedTest[]>()

async function testsOf(file: string): Promise<readonly RecordedTest[]> {
  const known = loaded.get(file) ?? (await loadTests(file))
  loaded.set(file, known)
  return known
}

async function play({ mutant, tests, whileLoading }: Order): Promise<Answer> {
  const number = numbersById.get(mutant)!
  stray = undefined
  if (whileLoading) switchboard.turnOn(number, Number.POSITIVE_INFINITY)
  for (const [file, its] of Map.groupBy(tests, (test) => test.file)) {
    let declared: readonly RecordedTest[]
    try {
      declared = await testsOf(file)
    } catch {
      return { kind: 'caught', by: `${file} cannot be loaded`, isSpoiled: true }
    }
    const failed = await firstFailure(number, its, declared)
    if (!failed) continue
    const isSpoiled = failed === 'endless' || !(await passes(declared[failed.index]!))
    const by = failed === 'endless' ? `${file} does not end` : `${file}: ${failed.name}`
    return { kind: 'caught', by, isSpoiled }
  }
  switchboard.turnOff()
  return { kind: 'survived' }
}

async function firstFailure(
  number: number,
  chosen: readonly CoveringTest[],
  declared: readonly RecordedTest[],
): Promise<CoveringTest | 'endless' | undefined> {
  const known = new Map(chosen.map((test) => [declared[test.index]!, test]))
  let failed: CoveringTest | undefined
  const watch = watchForEnd()
  const run = runTests([...known.keys()], {
    starts(test) {
      const { ms, asked } = known.get(test)!
      watch.expect(ms)
      switchboard.turnOn(number, maxAsked(asked))
    },
    async ended(test, error) {
      // What a test left behind fails one turn later.
      await new Promise(immediate)
      if (error !== undefined || stray !== undefined) failed = known.get(test)!
      return failed === undefined
    },
  }).catch(() => undefined)
  const end = await Promise.race([run, watch.endless])
  watch.close()
  return end === 'endless' ? 'endless' : failed
}

async function passes(test: RecordedTest): Promise<boolean> {
  switchboard.turnOff()
  stray = undefined
  let failure: unknown
  const ended = (_test: RecordedTest, error: unknown) => {
    failure = error
    return true
  }
  await runTests([test], { starts() {}, ended }).catch(noteStray)
  return failure === undefined && stray === undefined
}

if (process.argv[2] === 'cover') {
  try {
    const coverage = await measureCoverage(switchboard, (number) => mutants[number]!.id)
    process.send!(coverage, () => process.exit())
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
} else {
  process.on('message', async (order) => {
    const answer = await play(order as Order)
    process.send!(answer)
  })
  process.send!('ready')
}
