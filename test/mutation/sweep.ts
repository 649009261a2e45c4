/**
 * The sweep: which mutants are played, against which tests, and what is known from before. What it
 * knows is kept in a file, so that it can be ended at any time and goes on where it was.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Coverage, type CoveringTest, coverageKey } from './coverage.ts'
import type { Mutant } from './find-mutants.ts'
import { measuredCoverage, type Players } from './players.ts'

/** Not part of the repository. */
const COVERAGE_FILE = '.mutants/coverage.json'
const VERDICTS_FILE = '.mutants/verdicts.json'

/** More say that something other than a test is broken. */
const MAX_FAILING = 20

export interface Verdict {
  readonly kind: 'caught' | 'survived' | 'unreached'
  readonly by?: string
  /** Of the source, and, when nothing caught it, of the tests: what it holds for. */
  readonly source: string
  readonly tests?: string
}

function readJson<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(value))
}

export async function currentCoverage(): Promise<Coverage> {
  const known = readJson<Coverage>(COVERAGE_FILE)
  const coverage = known?.key === coverageKey() ? known : await measuredCoverage()
  if (coverage !== known) writeJson(COVERAGE_FILE, coverage)
  for (const test of coverage.failing) console.log(`fails without a mutant, left out: ${test}`)
  if (coverage.failing.length > MAX_FAILING) throw new Error('too many tests fail to go on')
  return coverage
}

export interface Verdicts {
  /** Undefined when it was not played, or the source or the tests have changed since. */
  get(mutant: Mutant): Verdict | undefined
  set(mutant: Mutant, verdict: Verdict): void
  save(): void
}

/** Without a key, what survived other tests counts too: these may have caught it since. */
export function openVerdicts(testsKey?: string): Verdicts {
  const known = new Map(Object.entries(readJson<Record<string, Verdict>>(VERDICTS_FILE) ?? {}))
  return {
    get(mutant) {
      const found = known.get(mutant.id)
      if (found?.source !== sourceKey(mutant.file)) return undefined
      // A test that was added may catch what survived; what was caught stays caught.
      const isCurrent = testsKey === undefined || found.tests === testsKey
      return found.kind === 'caught' || isCurrent ? found : undefined
    },
    set: (mutant, verdict) => void known.set(mutant.id, verdict),
    save: () => writeJson(VERDICTS_FILE, Object.fromEntries(known)),
  }
}

const sourceKeys = new Map<string, string>()

function sourceKey(file: string): string {
  const known =
    sourceKeys.get(file) ??
    createHash('sha256').update(readFileSync(file, 'utf8')).digest('hex').slice(0, 16)
  sourceKeys.set(file, known)
  return known
}

/** Of tests of other rooms that reach a mutant, so much of the processor's time, the quickest first. */
const ENOUGH_MS = 2_000

export interface PlayOptions {
  /** The mutants of the same source. */
  readonly neighbours: readonly Mutant[]
  /** Whether the simulation is asked too, which takes ten seconds of the processor a mutant. */
  readonly isSlowAsked: boolean
}

export async function playMutant(
  players: Players,
  coverage: Coverage,
  mutant: Mutant,
  { neighbours, isSlowAsked }: PlayOptions,
): Promise<Verdict> {
  const source = sourceKey(mutant.file)
  const isAsked = ({ isSlow }: CoveringTest) => isSlowAsked || !isSlow
  const tests = nearestFirst(mutant, reaching(coverage, mutant).filter(isAsked))
  if (tests.length > 0) {
    const answer = await players.play({ mutant: mutant.id, tests, whileLoading: false })
    if (answer.kind === 'caught') return { kind: 'caught', by: answer.by, source }
  }
  const isLoading = coverage.loading.includes(mutant.id)
  if (isLoading) {
    const all = nearestFirst(mutant, testsOfFiles(coverage, mutant, neighbours))
    const answer = await players.play({ mutant: mutant.id, tests: all, whileLoading: true })
    if (answer.kind === 'caught') return { kind: 'caught', by: answer.by, source }
  }
  const kind = tests.length > 0 || isLoading ? 'survived' : 'unreached'
  return { kind, source, tests: coverage.key }
}

function reaching(coverage: Coverage, { id }: Mutant): readonly CoveringTest[] {
  return (coverage.reached[id] ?? []).map((at) => coverage.tests[at]!)
}

/** All tests of the files that are about the mutant's source or reach anything in it. */
function testsOfFiles(
  coverage: Coverage,
  { file }: Mutant,
  neighbours: readonly Mutant[],
): readonly CoveringTest[] {
  const reach = neighbours.flatMap((other) => reaching(coverage, other))
  const files = new Set(reach.map((test) => test.file))
  return coverage.tests.filter((test) => files.has(test.file) || isAbout(test, file))
}

const isAbout = (test: CoveringTest, file: string) =>
  test.file.startsWith(`test/${file.replace(/\.ts$/, '.')}`)

/** How many folders a test and a source have in common: the suite of a room knows most about it. */
function closeness(test: CoveringTest, file: string): number {
  const [there, here] = [test.file.split('/').slice(1, -1), file.split('/').slice(0, -1)]
  const apart = here.findIndex((folder, at) => folder !== there[at])
  return apart === -1 ? here.length : apart
}

/** Folders in common from which on all of a suite is played. */
const SAME_ROOM = 2

/** Whole files, those about the source first, then the closest, then the quickest. */
function nearestFirst(mutant: Mutant, tests: readonly CoveringTest[]): readonly CoveringTest[] {
  const files = [...Map.groupBy(tests, (test) => test.file).values()].map((its) => ({
    its,
    isNear: its.some((test) => isAbout(test, mutant.file)),
    isSlow: its.some((test) => test.isSlow),
    closeness: Math.min(SAME_ROOM, closeness(its[0]!, mutant.file)),
    ms: its.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  }))
  files.sort(
    (one, other) =>
      Number(other.isNear) - Number(one.isNear) ||
      Number(one.isSlow) - Number(other.isSlow) ||
      other.closeness - one.closeness ||
      one.ms - other.ms,
  )
  let sumMs = 0
  return files
    .filter(({ isNear, isSlow, closeness, ms }) => {
      if (isNear || isSlow || closeness === SAME_ROOM) return true
      sumMs += ms
      return sumMs <= ENOUGH_MS
    })
    .flatMap(({ its }) => its)
}
