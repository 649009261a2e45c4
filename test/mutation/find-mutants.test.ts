import { describe, expect, it } from 'vitest'
import { findMutants, oneLine } from './find-mutants.ts'
import { sweptSources } from './loading.ts'
import { withSwitches } from './switches.ts'
import { parseSource } from './syntax.ts'

/** Each mutant as `piece -> what becomes of it`. */
function mutantsOf(text: string): readonly string[] {
  const mutants = findMutants(parseSource('a.ts', text))
  return mutants.map(({ original, mutated }) => `${oneLine(original)} -> ${mutated ?? 'dropped'}`)
}

describe('what can be wrong in a source', () => {
  it.each([
    { when: 'a statement', text: 'f()', mutants: ['f() -> dropped'] },
    {
      when: 'a condition, and nothing that it alone guards',
      text: 'if (a) f()',
      mutants: ['a -> true', 'a -> false'],
    },
    {
      when: 'a condition of two parts: either may be missing',
      text: 'if (a && b) f()',
      mutants: ['a && b -> false', 'a && b -> a', 'a && b -> b'],
    },
    {
      when: 'one of two branches',
      text: 'const x = a ? 1 : 2',
      mutants: ['a -> true', 'a -> false'],
    },
    {
      when: 'a boundary and a direction',
      text: 'const x = a < b',
      mutants: ['a < b -> a <= b', 'a < b -> a >= b'],
    },
    {
      when: 'only the boundary of a condition',
      text: 'a < b || f()',
      mutants: [
        'a < b || f() -> dropped',
        'a < b || f() -> a < b',
        'a < b || f() -> f()',
        'a < b -> a <= b',
      ],
    },
    { when: 'what has a default', text: 'const x = a ?? b', mutants: ['a ?? b -> b'] },
    {
      when: 'a member that may be absent',
      text: 'f({ ...(a && { a }) })',
      mutants: ['f({ ...(a && { a }) }) -> dropped', 'a && { a } -> a'],
    },
    {
      when: 'a sum, but no constant',
      text: 'const x = a + 60 * 1_000',
      mutants: ['a + 60 * 1_000 -> a - 60 * 1_000'],
    },
    {
      when: 'the larger of two',
      text: 'const x = Math.max(a, b)',
      mutants: ['Math.max(a, b) -> Math.min(a, b)'],
    },
    { when: 'a step of a chain', text: 'const x = a.filter(f)', mutants: ['a.filter(f) -> a'] },
    {
      when: 'no step inside of an optional chain',
      text: 'const x = a?.filter(f).length',
      mutants: [],
    },
    {
      when: 'an early end after something else',
      text: 'for (const a of b) if (a) { f(); continue }',
      mutants: [
        'for (const a of b) if (a) { f(); continue } -> dropped',
        'a -> true',
        'a -> false',
        'f(); -> dropped',
        'continue -> dropped',
      ],
    },
    { when: 'nothing in a type', text: 'type A = B extends C ? D : E', mutants: [] },
  ])('$when', ({ text, mutants }) => {
    expect(mutantsOf(text)).toEqual(mutants)
  })

  it('keeps the name of a mutant while lines are added above it', () => {
    const ids = (text: string) => findMutants(parseSource('a.ts', text)).map(({ id }) => id)
    expect(ids('\n// more\nfunction f() { g() }')).toEqual(ids('function f() { g() }'))
  })

  it('has a name for every mutant of the swept rooms', () => {
    const ids = [...sweptSources().values()].flatMap(({ mutants }) => mutants.map(({ id }) => id))
    expect(ids.length).toBeGreaterThan(2_000)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('a source with switches', () => {
  const text = `
    const seen = []
    const note = (a) => seen.push(a)
    note(1)
    ;[2].filter((a) => a > 2 || a === 2).forEach(note)
    const rest = seen.length > 1 && note(3)
    if (rest) note(Math.max(4, rest))
    return seen`
  const source = parseSource('a.ts', `function f() {${text}\n}`)
  const mutants = findMutants(source)
  const code = withSwitches(source.code, mutants, (mutant) => mutants.indexOf(mutant))
  const run = (on: number) =>
    new Function('__mutant', `${code}; return f()`)((n: number) => n === on)

  it('does what it did while all are off', () => {
    expect(run(-1)).toEqual([1, 2, 3, 4])
  })

  it.each(mutants.map((mutant, on) => ({ on, what: oneLine(mutant.original), mutant })))(
    'does with switch $on what the changed source does: $what',
    ({ on, mutant: { piece, mutated } }) => {
      const changed = `${source.code.slice(0, piece.start)}${mutated ? `(${mutated})` : '{}'}${source.code.slice(piece.end)}`
      const outcome = (play: () => unknown) => {
        try {
          return play()
        } catch (error) {
          return (error as Error).name
        }
      }
      expect(outcome(() => run(on))).toEqual(
        outcome(new Function(`${changed}; return f()`) as () => unknown),
      )
    },
  )
})
