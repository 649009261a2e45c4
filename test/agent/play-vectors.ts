/** Plays a vector file, holding the cases that docs/conformance.md lists as different to that. */
import { expect, it } from 'vitest'
import { expectConformance, staleDifferences } from '../known-differences.ts'
import { loadVectors, type VectorCase } from '../vectors.ts'

export function playVectors(
  name: string,
  isMine: (each: VectorCase) => boolean,
  play: (each: VectorCase) => unknown,
): void {
  const file = `${name}.json`
  const { cases } = loadVectors(name)
  it('the list of differences names only cases there are', () => {
    expect(staleDifferences({ file, cases })).toEqual([])
  })
  for (const each of cases.filter(isMine)) {
    it(each.name, () => expectConformance(file, each.name, async () => void (await play(each))))
  }
}
