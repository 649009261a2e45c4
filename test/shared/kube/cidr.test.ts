import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cidrWarnings, parseCidr, validateCidr } from '../../../shared/kube/cidr.ts'

const complaint = (text: string) => validateCidr(text, 'f')[0]?.message

describe('a CIDR', () => {
  it.each([
    ...['10.0.0.0/8', '0.0.0.0/0', '192.168.1.1/32', '::/0', '2001:db8::/64'],
    ...['2001:db8:0:0:1::/80', 'fd00::1/128', '1:2:3:4:5:6:7:8/128', '::1:0:0/96'],
  ])('%s is strict', (text) => {
    expect(complaint(text)).toBeUndefined()
  })

  it.each([
    ...['', '10.0.0.0', '10.0.0.0/33', '10.0.0/24', '256.0.0.0/8', '10.0.0.0/8/8', '10.0.0.0/'],
    ...['10.0.0.0/-1', '10.0.0.0/+8', '::/129', ':::/0', '1:2:3::4:5:6:7:8/64', '1::2::3/64'],
    ...['12345::/16', 'g::/16', '1:2:3:4:5:6:7/64', '::1.2.3/96', '10.0.0.0 /8', 'fe80::1%eth0/64'],
  ])('%s is none', (text) => {
    expect(complaint(text)).toMatch(/must be a valid CIDR value, \(e\.g\. 10\.9\.8\.0\/24/)
  })

  it.each([
    { text: '10.0.0.1/16', wrong: 'must not have bits set beyond the prefix length' },
    { text: '2001:db8::1/64', wrong: 'must not have bits set beyond the prefix length' },
    { text: '192.168.000.000/16', wrong: 'must not have leading 0s in IP or prefix length' },
    { text: '192.168.0.0/016', wrong: 'must not have leading 0s in IP or prefix length' },
    { text: '::ffff:10.0.0.0/112', wrong: 'must not have an IPv4-mapped IPv6 address' },
    { text: '::ffff:a00:0/112', wrong: 'must not have an IPv4-mapped IPv6 address' },
  ])('$text: $wrong', ({ text, wrong }) => {
    expect(complaint(text)).toBe(`Invalid value: "${text}": ${wrong}`)
  })

  it.each([
    { text: '2001:DB8::/32', canonical: '2001:db8::/32' },
    { text: '2001:0db8::/32', canonical: '2001:db8::/32' },
    { text: '0:0:0:0:0:0:0:0/0', canonical: '::/0' },
    { text: '1:0:0:2:0:0:0:3/128', canonical: '1:0:0:2::3/128' },
    { text: '1:0:0:2:3:0:0:4/128', canonical: '1::2:3:0:0:4/128' },
    { text: '10:0:0:2::/64', canonical: '10:0:0:2::/64' },
    { text: '1:2:3:4:5:6:7:0/128', canonical: '1:2:3:4:5:6:7:0/128' },
  ])('$text is best written $canonical', ({ text, canonical }) => {
    const warnings = cidrWarnings(text, 'f')
    if (text === canonical) expect(warnings).toEqual([])
    else expect(warnings[0]).toContain(`canonical format ("${canonical}")`)
  })

  it('never warns of IPv4, nor of its own advice', () => {
    expect(cidrWarnings('10.0.0.0/8', 'f')).toEqual([])
    const groups = fc.array(fc.constantFrom('0', '1', 'ab', 'ffff'), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(groups, (list) => {
        const text = `${list.join(':')}/128`
        const advice = /format \("(.*)"\)/.exec(cidrWarnings(text, 'f')[0] ?? '')?.[1] ?? text
        expect(cidrWarnings(advice, 'f')).toEqual([])
        expect(parseCidr(advice)?.address).toBe(parseCidr(text)?.address)
      }),
    )
  })
})
