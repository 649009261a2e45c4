/**
 * A source with all its mutants in it, each behind a switch: `a < b` becomes
 * `(__mutant(7)?(a <= b):(a < b))`. So one loaded program plays every mutant, and none is compiled.
 */
import type { Mutant } from './find-mutants.ts'

interface Insert {
  readonly at: number
  /** At the same place the end of an inner piece comes first, then the start of an outer one. */
  readonly rank: number
  readonly text: string
}

/** `numberOf` is what the switch of a mutant is asked with. */
export function withSwitches(
  code: string,
  mutants: readonly Mutant[],
  numberOf: (mutant: Mutant) => number,
): string {
  const inserts = [...Map.groupBy(mutants, ({ piece }) => piece)].flatMap(([piece, its], depth) => {
    // Mutants are found from the outside in, so a later piece is never around an earlier one.
    const rank = { opens: depth, closes: -1 - depth }
    const [before, after] = its.some(({ mutated }) => mutated === undefined)
      ? // Braces also keep a line that begins with a parenthesis from calling the line before it.
        [`{if(!__mutant(${numberOf(its[0]!)})){`, '}}']
      : [`(${its.map((one) => `__mutant(${numberOf(one)})?(${one.mutated}):`).join('')}(`, '))']
    return [
      { at: piece.start, rank: rank.opens, text: before },
      { at: piece.end, rank: rank.closes, text: after },
    ]
  })
  inserts.sort((one, other) => one.at - other.at || one.rank - other.rank)
  return spliced(code, inserts)
}

function spliced(code: string, inserts: readonly Insert[]): string {
  const parts: string[] = []
  let from = 0
  for (const { at, text } of inserts) {
    parts.push(code.slice(from, at), text)
    from = at
  }
  return parts.join('') + code.slice(from)
}
