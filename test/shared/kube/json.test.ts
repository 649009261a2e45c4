import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duplicateKeys, MAX_DEPTH, parseJson, setOwn } from '../../../shared/kube/json.ts'
import { StatusError } from '../../../shared/kube/status-error.ts'

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each([
    { when: 'it is empty', text: '' },
    { when: 'it ends too early', text: '{"a":' },
    { when: 'something follows', text: '{} {}' },
    { when: 'a string is open', text: '{"a' },
    { when: 'a comma trails', text: '[1,]' },
    { when: 'quotes are single', text: "{'a':1}" },
    { when: 'it nests too deep', text: nested(MAX_DEPTH + 1) },
    { when: 'it nests far too deep', text: nested(1_000_000, '{"a":', '}') },
    { when: 'it nests deep and is cut off', text: '['.repeat(1_000_000) },
  ])('refuses the text with 400 when $when', ({ text }) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('allows the deepest nesting, and brackets in strings do not count', () => {
    expect(() => parseJson(nested(MAX_DEPTH))).not.toThrow()
    const brackets = '\\"[{'.repeat(100)
    expect(parseJson(`"${brackets}"`)).toBe('"[{'.repeat(100))
  })

  it('reads half a surrogate pair as the replacement character, in keys too', () => {
    expect(parseJson('{"a\\ud800":["\\udc00 \\ud83d\\ude00"]}')).toEqual({
      'a\ufffd': ['\ufffd \u{1f600}'],
    })
  })

  it('keeps __proto__ as an ordinary key', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"\\ud800":1}') as object
    expect(Object.keys(value)).toContain('__proto__')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it('throws nothing but a StatusError', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '1',
      'null',
      '\\u',
      ' ',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fragment).map((all) => all.join('')),
        ),
        (text) => {
          try {
            parseJson(text)
          } catch (error) {
            expect(error).toBeInstanceOf(StatusError)
          }
        },
      ),
    )
  })
})

describe('duplicateKeys', () => {
  it.each([
    { when: 'nothing repeats', text: '{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}', found: [] },
    { when: 'a top member repeats', text: '{"a":1,"a":2}', found: ['a'] },
    { when: 'a nested member repeats', text: '{"spec":{"x":[],"x":{}}}', found: ['spec.x'] },
    { when: 'an element repeats a member', text: '{"l":[{},{"k":1,"k":2}]}', found: ['l[1].k'] },
    { when: 'one is escaped', text: '{"a":1,"\\u0061":2}', found: ['a'] },
    { when: 'three are equal', text: '{"a":1,"a":2,"a":3}', found: ['a', 'a'] },
    { when: 'only values repeat', text: '{"a":"b","b":"a","c":"a"}', found: [] },
    { when: 'a string holds braces', text: '{"a":"{\\"b\\":1,","b":1}', found: [] },
    { when: 'it is a scalar', text: '"a"', found: [] },
  ])('finds $found when $when', ({ text, found }) => {
    expect(duplicateKeys(text)).toEqual(found)
  })

  it('finds nothing in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(duplicateKeys(text)).toEqual([])
      }),
    )
  })
})

it('sets any member without touching a prototype', () => {
  const target = {}
  setOwn(target, '__proto__', { polluted: true })
  setOwn(target, 'constructor', 1)
  expect(Object.keys(target)).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(target)).toBe(Object.prototype)
})
