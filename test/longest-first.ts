/**
 * On a fresh clone vitest knows no durations and orders by file size, but our longest suites are
 * small files. Started last, each would run alone at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = [
  'conformance/kubectl.test.ts',
  'simulation/worlds.test.ts',
  'browser/live.test.ts',
  'contract/event-bus.test.ts',
  'contract/blackout.test.ts',
  'simulation/model-check.test.ts',
  'conformance/kubectl-watch.test.ts',
  'browser/page.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return at < 0 ? LONGEST.length : at
}
