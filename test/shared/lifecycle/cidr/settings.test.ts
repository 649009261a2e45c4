import { describe, expect, it } from 'vitest'
import { parseSettings } from '../../../../shared/lifecycle/settings.ts'

const parsed = (given: object) => parseSettings((name) => new Map(Object.entries(given)).get(name))

describe('settings', () => {
  it.each([
    { given: { 'allocate-node-cidrs': 'true' }, says: 'needs cluster-cidr' },
    {
      given: { 'cluster-cidr': 'fd00::/48', 'node-cidr-mask-size-ipv4': '26' },
      says: 'node-cidr-mask-size-ipv4: cluster-cidr has no IPv4 range',
    },
    {
      given: { 'cluster-cidr': '10.0.0.0/16', 'node-cidr-mask-size-ipv6': '60' },
      says: 'node-cidr-mask-size-ipv6: cluster-cidr has no IPv6 range',
    },
  ])('refuse $given and say why', ({ given, says }) => {
    const { kind, ...rest } = parsed(given)
    expect(kind === 'invalid' && rest).toEqual({ problems: [expect.stringContaining(says)] })
  })

  it.each([
    { given: { 'allocate-node-cidrs': 'true', 'cluster-cidr': '10.0.0.0/16' } },
    { given: { 'node-cidr-mask-size-ipv4': '26', 'node-cidr-mask-size-ipv6': '60' } },
    { given: { 'cluster-cidr': 'fd00::/48', 'node-cidr-mask-size-ipv6': '60' } },
    { given: { 'cluster-cidr': '10.0.0.0/16', 'node-cidr-mask-size-ipv4': '26' } },
    {
      given: {
        'cluster-cidr': '10.0.0.0/16,fd00::/48',
        'node-cidr-mask-size-ipv4': '26',
        'node-cidr-mask-size-ipv6': '60',
      },
    },
  ])('accept $given', ({ given }) => {
    expect(parsed(given).kind).not.toBe('invalid')
  })
})
