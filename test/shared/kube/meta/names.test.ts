import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asPrefix,
  byteLength,
  labelName,
  labelValue,
  pathSegment,
  qualifiedName,
  subdomainName,
} from '../../../../shared/kube/meta/names.ts'

describe('names', () => {
  it.each([
    { rule: subdomainName, legal: ['a', 'a.b', 'x'.repeat(253), `${'y'.repeat(100)}.z`] },
    { rule: labelName, legal: ['a', '1-2', 'x'.repeat(63)] },
    { rule: labelValue, legal: ['', 'A_b.c-d', '9'.repeat(63)] },
    { rule: qualifiedName, legal: ['a', 'Abc_d', 'example.com/Some.Name', `x/${'y'.repeat(63)}`] },
    { rule: pathSegment, legal: ['Any thing', 'a.b'] },
    { rule: asPrefix(subdomainName), legal: ['a-', 'ab', 'a.b-', 'a--', 'A-'] },
  ])('accepts $legal', ({ rule, legal }) => {
    for (const text of legal) expect(rule(text)).toEqual([])
  })

  it.each([
    { rule: subdomainName, illegal: ['', 'A', 'a_b', 'a..b', '-a', 'a-', 'a.', 'x'.repeat(254)] },
    { rule: labelName, illegal: ['', 'a.b', 'A', 'x'.repeat(64), 'ä'] },
    { rule: labelValue, illegal: ['a b', '-a', 'a-', 'x'.repeat(64)] },
    { rule: qualifiedName, illegal: ['', '/a', 'a/', 'a/b/c', 'A.com/x', 'x'.repeat(64), 'a=b'] },
    { rule: pathSegment, illegal: ['.', '..', 'a/b', '50%', 'x'.repeat(513)] },
    { rule: asPrefix(subdomainName), illegal: ['a.', '-', 'Ab-'] },
  ])('refuses $illegal', ({ rule, illegal }) => {
    for (const text of illegal) expect(rule(text), text).not.toEqual([])
  })

  it('complains in the words of Kubernetes', () => {
    expect(subdomainName('A')).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
        "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for " +
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ])
    expect(labelName('a.b')[0]).toContain("(e.g. 'my-name',  or '123-abc', regex used")
    expect(qualifiedName('')).toHaveLength(2)
    expect(qualifiedName('/x')).toEqual(['prefix part must be non-empty'])
    expect(labelValue('x'.repeat(64))).toEqual(['must be no more than 63 bytes'])
  })

  it('counts bytes', () => {
    expect(byteLength('äöü')).toBe(6)
  })

  // Backtracking over three megabytes would take hours: this ends, or the runner's limit ends it.
  it('ends, however long the text', () => {
    const rules = [subdomainName, labelName, labelValue, qualifiedName, asPrefix(subdomainName)]
    for (const rule of rules) expect(rule(`${'a'.repeat(3_000_000)}!`)).not.toEqual([])
  })

  it('takes every label for a subdomain, and nothing with a capital for either', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (labelName(text).length === 0) expect(subdomainName(text)).toEqual([])
        if (/[A-Z]/.test(text)) expect(subdomainName(text)).not.toEqual([])
      }),
    )
  })
})
