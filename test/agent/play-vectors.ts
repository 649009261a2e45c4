/** Plays a vector file, holding the cases that docs/conformance.md lists as different to that. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadVectors, type VectorCase } from '../vectors.ts'

/** The names in the first column of the table under `## <file>` in docs/conformance.md. */
function differing(name: string): ReadonlySet<string> {
  const text = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${name}.json`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return new Set(rows.slice(1).map((row) => (row.split('|')[1] ?? '').trim()))
}

/**
 * Exact in both directions: a listed case that agrees fails, and so does a listed name that no case
 * has.
 */
export function playVectors(
  name: string,
  mine: (each: VectorCase) => boolean,
  play: (each: VectorCase) => unknown,
): void {
  const listed = differing(name)
  const { cases } = loadVectors(name)
  it('the list of differences names only cases there are', () => {
    const names = new Set(cases.map((each) => each.name))
    expect([...listed].filter((each) => !names.has(each))).toEqual([])
  })
  for (const each of cases.filter(mine)) {
    it(each.name, async () => {
      if (!listed.has(each.name)) return void (await play(each))
      await expect(async () => play(each), 'listed as different, yet it agrees').rejects.toThrow()
    })
  }
}
