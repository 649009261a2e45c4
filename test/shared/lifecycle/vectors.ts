/** Runs every case of a vector file, and holds the list of deliberate differences to the letter. */
import { expect, it } from 'vitest'
import { isKnownDifference, isNotHere, staleDifferences } from '../../known-differences.ts'
import { loadVectors } from '../../vectors.ts'

export interface Case<Given, Expected> {
  readonly name: string
  readonly given: Given
  readonly expect: Expected
}

export function casesOf<Given, Expected>(file: string): readonly Case<Given, Expected>[] {
  return loadVectors(file).cases
}

/**
 * One test per case. `check` throws when the case does not hold; a listed case must not hold,
 * because a difference that has gone away must leave the list.
 */
export function runCases<Given, Expected>(
  file: string,
  cases: readonly Case<Given, Expected>[],
  check: (given: Given, expected: Expected) => void | Promise<void>,
) {
  const name = `${file}.json`
  for (const one of cases.filter(({ given }) => !isNotHere(name, given))) {
    if (!isKnownDifference(name, one.name)) it(one.name, () => check(one.given, one.expect))
    else {
      it(`differs on purpose: ${one.name}`, async () => {
        await expect((async () => check(one.given, one.expect))()).rejects.toMatchObject({
          name: 'AssertionError',
        })
      })
    }
  }
  it(`lists only cases of ${file} as differences`, () => {
    const all = [...casesOf(file), ...cases]
    expect(staleDifferences({ file: name, cases: all })).toEqual([])
  })
}
