import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatCidr } from '../../../../shared/kube/cidr.ts'
import {
  covers,
  networkOf,
  overlaps,
  parseNetwork,
} from '../../../../shared/lifecycle/cidr/network.ts'

it.each([
  { text: '10.1.2.3/8', canonical: '10.0.0.0/8' },
  { text: '0.0.0.0/0', canonical: '0.0.0.0/0' },
  { text: '::/0', canonical: '::/0' },
  { text: '::1/128', canonical: '::1/128' },
  { text: '1::/16', canonical: '1::/16' },
  { text: '2001:DB8:0:0:1:0:0:1/128', canonical: '2001:db8::1:0:0:1/128' },
  { text: '1:0:2:3:4:5:6:7/128', canonical: '1:0:2:3:4:5:6:7/128' },
  { text: '::ffff:10.0.0.1/128', canonical: '::ffff:a00:1/128' },
])('$text is $canonical', ({ text, canonical }) => {
  expect(formatCidr(parseNetwork(text)!)).toBe(canonical)
})

it.each([
  '',
  '10.0.0.0',
  '/8',
  '10.0.0/8',
  '10.0.0.256/8',
  '010.0.0.0/8',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '10.0.0.0/8 ',
  '::/129',
  ':::/8',
  '1::2::3/8',
  '1:2:3:4:5:6:7/8',
  '1:2:3:4:5:6:7::8/8',
  '12345::/8',
  '::10.0.0/96',
])('%j is no range', (text) => {
  expect(parseNetwork(text)).toBeUndefined()
})

const anyCidr = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), fc.nat(32))
    .map(([address, prefix]) => networkOf('IPv4', address, prefix)),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.nat(128))
    .map(([address, prefix]) => networkOf('IPv6', address, prefix)),
)

it('reads what it writes', () => {
  fc.assert(
    fc.property(anyCidr, (cidr) => {
      expect(parseNetwork(formatCidr(cidr))).toEqual(cidr)
    }),
  )
})

it('agrees that ranges meet only when one covers the other', () => {
  fc.assert(
    fc.property(anyCidr, fc.nat(32), (cidr, prefix) => {
      const wider = networkOf(cidr.family, cidr.address, Math.min(prefix, cidr.prefix))
      expect(covers(wider, cidr)).toBe(true)
      expect(overlaps(cidr, wider)).toBe(true)
    }),
  )
})

it('a network of one family covers none of the other', () => {
  const [v4, v6] = [parseNetwork('0.0.0.0/0')!, parseNetwork('::/0')!]
  expect([covers(v4, v6), covers(v6, v4), overlaps(v4, v6)]).toEqual([false, false, false])
})
