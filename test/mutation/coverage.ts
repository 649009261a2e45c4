/** Which tests reach which mutant? `measure-coverage.ts` finds out. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'

/** The unit suites that run what is swept. */
const SUITES = ['test/shared', 'test/functions', 'test/dashboard']
export const suiteFiles = (): readonly string[] =>
  SUITES.flatMap((folder) => globSync(`${folder}/**/*.test.ts`).sort())

/** Of the simulation a part, for what no unit test has caught. */
export const SLOW_SUITES = [
  { file: 'test/simulation/worlds.test.ts', named: 'from 1 on' },
  { file: 'test/simulation/model-check.test.ts', named: 'one zone of one host' },
]

export interface CoveringTest {
  readonly file: string
  /** In the order in which the file declares its tests. */
  readonly index: number
  readonly name: string
  /** By the clock, and of the processor: the first grows on a busy machine. */
  readonly ms: number
  readonly cpuMs: number
  readonly isSlow: boolean
  /** How often a mutant was asked for: a mutated test that asks far more often runs in circles. */
  readonly asked: number
}

export interface Coverage {
  readonly key: string
  readonly tests: readonly CoveringTest[]
  /** By mutant, the indexes of tests. */
  readonly reached: Readonly<Record<string, readonly number[]>>
  /** Mutants that run while a test file is loaded: these are played in a process of their own. */
  readonly loading: readonly string[]
  /** Tests that fail without a mutant, and so say nothing about one: `npm test` is red. */
  readonly failing: readonly string[]
}

/** Changes with any source or test that could change what is covered. */
export function coverageKey(): string {
  const hash = createHash('sha256')
  for (const file of globSync('{shared,functions,dashboard,test}/**/*.{ts,tsx,json}').sort()) {
    if (!file.startsWith('test/mutation/')) hash.update(`${file}\n${readFileSync(file, 'utf8')}`)
  }
  return hash.digest('hex').slice(0, 16)
}
