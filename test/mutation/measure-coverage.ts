/** Which tests reach which mutant? Every test runs once, with all mutants switched off. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Coverage,
  type CoveringTest,
  coverageKey,
  SLOW_SUITES,
  suiteFiles,
} from './coverage.ts'
import { type RecordedTest, recordTests, runTests, type Suite, suitesAround } from './recorder.ts'
import { nowMs, type Switchboard } from './switchboard.ts'

export const loadTests = async (file: string): Promise<readonly RecordedTest[]> =>
  await recordTests(file, async () => await import(pathToFileURL(resolve(file)).href))

export async function measureCoverage(
  switchboard: Switchboard,
  idOf: (number: number) => string,
): Promise<Coverage> {
  const tests: CoveringTest[] = []
  const reached: Record<string, number[]> = {}
  const loading = new Set<string>()
  const failing: string[] = []
  const quick = suiteFiles().map((file) => ({ file, named: '', isSlow: false }))
  const slow = SLOW_SUITES.map((suite) => ({ ...suite, isSlow: true }))
  for (const { file, named, isSlow } of [...quick, ...slow]) {
    switchboard.forget()
    const declared = await loadTests(file)
    for (const number of switchboard.reached) loading.add(idOf(number))
    const setUp = new Map<Suite, ReadonlySet<number>>()
    let startedAtMs = 0
    let startedCpu = process.cpuUsage()
    await runTests(
      declared.filter(({ name }) => name.includes(named)),
      {
        starts() {
          startedAtMs = nowMs()
          startedCpu = process.cpuUsage()
          switchboard.forget()
        },
        isSetUp(suite) {
          setUp.set(suite, switchboard.reached)
          switchboard.forget()
        },
        ended(test, error) {
          if (error) {
            failing.push(`${file}: ${test.name}`)
            return true
          }
          const at = tests.length
          const { asked } = switchboard
          const { user, system } = process.cpuUsage(startedCpu)
          tests.push({
            file,
            index: declared.indexOf(test),
            name: test.name,
            ms: nowMs() - startedAtMs,
            cpuMs: (user + system) / 1_000,
            isSlow,
            asked,
          })
          const around = suitesAround(test.suite).flatMap((suite) => [...(setUp.get(suite) ?? [])])
          for (const number of new Set([...switchboard.reached, ...around])) {
            const id = idOf(number)
            reached[id] ??= []
            reached[id].push(at)
          }
          return true
        },
      },
    )
  }
  return { key: coverageKey(), tests, reached, loading: [...loading], failing }
}
