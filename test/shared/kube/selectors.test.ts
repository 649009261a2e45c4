import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFieldSelector, parseLabelSelector } from '../../../shared/kube/selectors.ts'
import { StatusError } from '../../../shared/kube/status-error.ts'

describe('parseLabelSelector', () => {
  const labels = { zone: 'z1', tier: '', cpus: '8', 'node.kubernetes.io/size': 'big' }

  it.each([
    { selector: '', matches: true },
    { selector: '  ', matches: true },
    { selector: 'zone=z1', matches: true },
    { selector: 'zone==z1', matches: true },
    { selector: ' zone = z1 ', matches: true },
    { selector: 'zone=z2', matches: false },
    { selector: 'zone!=z1', matches: false },
    { selector: 'zone!=z2', matches: true },
    { selector: 'rack!=z2', matches: true },
    { selector: 'rack=', matches: false },
    { selector: 'tier=', matches: true },
    { selector: 'tier!=', matches: false },
    { selector: 'zone', matches: true },
    { selector: 'rack', matches: false },
    { selector: '!rack', matches: true },
    { selector: '! zone', matches: false },
    { selector: 'zone in (z1,z2)', matches: true },
    { selector: 'zone in ( z2 , z3 )', matches: false },
    { selector: 'zone in(z1)', matches: true },
    { selector: 'rack in (z1)', matches: false },
    { selector: 'rack notin (z1)', matches: true },
    { selector: 'zone notin (z1)', matches: false },
    { selector: 'tier in (a,)', matches: true },
    { selector: 'cpus>7', matches: true },
    { selector: 'cpus > 8', matches: false },
    { selector: 'cpus<9', matches: true },
    { selector: 'zone>1', matches: false },
    { selector: 'rack<1', matches: false },
    { selector: 'in in (x)', matches: false },
    { selector: 'notin', matches: false },
    { selector: 'node.kubernetes.io/size=big', matches: true },
    { selector: 'zone in (z1),cpus>4,!rack,tier!=x', matches: true },
    { selector: 'zone=z1,zone=z2', matches: false },
    { selector: 'constructor', matches: false },
    { selector: 'toString!=x', matches: true },
  ])('$selector: $matches', ({ selector, matches }) => {
    expect(parseLabelSelector(selector)(labels)).toBe(matches)
  })

  it('takes an object without labels for one with none', () => {
    expect(parseLabelSelector('!a')(undefined)).toBe(true)
    expect(parseLabelSelector('a')(undefined)).toBe(false)
  })

  it.each([
    ...['a,', ',a', 'a,,b', '=a', 'a=b=c', 'a===b', 'a b', 'a in', 'a in b', 'a in (', 'a in b)'],
    ...['a in ()', 'a in (())', '(a)', 'a)', '!', '!!a', '!a=b', 'a>x', 'a<', 'a<1.5', 'a=b c'],
    ...['-a', 'a-', 'a/b/c', '/a', 'A_B/a', 'a=-b', 'a=b/c', '__proto__', 'a=é', 'a in (b c)'],
    ...[`${'a'.repeat(64)}`, `a=${'b'.repeat(64)}`, `${'a'.repeat(254)}/b`, 'a'.repeat(20_000)],
  ])('answers 400 to %s', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('splits objects in two with a requirement and its opposite', () => {
    const value = fc.constantFrom('a', 'b', '')
    const some = fc.dictionary(fc.constantFrom('x', 'y'), value)
    fc.assert(
      fc.property(some, value, (object, wanted) => {
        const [is, isNot] = [parseLabelSelector(`x=${wanted}`), parseLabelSelector(`x!=${wanted}`)]
        expect(is(object)).toBe(!isNot(object))
        const [has, lacks] = [parseLabelSelector('x'), parseLabelSelector('!x')]
        expect(has(object)).toBe(!lacks(object))
      }),
    )
  })

  it('throws nothing but a StatusError and does not hang', () => {
    const piece = fc.constantFrom(
      'a',
      'in',
      'notin',
      '(',
      ')',
      ',',
      '=',
      '!',
      '<',
      ' ',
      '\t',
      '/',
      '1',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        try {
          parseLabelSelector(pieces.join(''))({ a: '1' })
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
      }),
    )
  })
})

describe('parseFieldSelector', () => {
  const supported = ['metadata.name', 'status.phase', 'involvedObject.namespace']
  const fields = { 'metadata.name': 'a,b', 'status.phase': 'Running' }

  it.each([
    { selector: '', matches: true, exact: {} },
    { selector: 'status.phase=Running', matches: true, exact: { 'status.phase': 'Running' } },
    { selector: 'status.phase==Running', matches: true, exact: { 'status.phase': 'Running' } },
    { selector: 'status.phase!=Running', matches: false, exact: {} },
    { selector: 'status.phase!=Failed,status.phase!=Succeeded', matches: true, exact: {} },
    {
      selector: 'involvedObject.namespace=',
      matches: true,
      exact: { 'involvedObject.namespace': '' },
    },
    { selector: 'involvedObject.namespace!=', matches: false, exact: {} },
    { selector: 'metadata.name=a\\,b', matches: true, exact: { 'metadata.name': 'a,b' } },
    { selector: 'metadata.name=a\\=\\\\', matches: false, exact: { 'metadata.name': 'a=\\' } },
    { selector: 'status.phase=Running,', matches: true, exact: { 'status.phase': 'Running' } },
    {
      selector: 'metadata.name=x,metadata.name=a\\,b',
      matches: false,
      exact: { 'metadata.name': 'a,b' },
    },
  ])('$selector: $matches', ({ selector, matches, exact }) => {
    const parsed = parseFieldSelector(selector, supported)
    expect(parsed.matches(fields)).toBe(matches)
    expect(parsed.exact).toEqual(exact)
  })

  it('says which field it does not know', () => {
    expect(() => parseFieldSelector('foo=bar', supported)).toThrow(
      expect.objectContaining({ code: 400, message: 'field label not supported: foo' }),
    )
    const named = ['metadata.name', 'metadata.namespace']
    expect(() => parseFieldSelector('foo=bar', named)).toThrow(
      '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
  })

  it.each([
    'status.phase',
    '=a',
    'status.phase=a=b',
    'status.phase=\\x',
    'status.phase=a\\',
    '__proto__=1',
    '!',
  ])('answers 400 to %s', (selector) => {
    expect(() => parseFieldSelector(selector, supported)).toThrow(
      expect.objectContaining({ code: 400 }),
    )
  })

  it('finds any value that was escaped, and throws nothing but a StatusError', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, anything) => {
        const escaped = value.replaceAll(/[\\,=]/g, '\\$&')
        const parsed = parseFieldSelector(`metadata.name=${escaped}`, supported)
        expect(parsed.exact).toEqual({ 'metadata.name': value })
        try {
          parseFieldSelector(anything, supported)
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
      }),
    )
  })
})
