import { describe, expect, it } from 'vitest'
import { checkRanges } from '../../../../shared/lifecycle/cidr/config.ts'

describe('ranges', () => {
  const good = { clusterCIDRs: ['10.0.0.0/16'], maskSizes: [24], serviceCIDRs: [] }
  it.each([
    {
      when: 'there is no range',
      change: { clusterCIDRs: [], maskSizes: [] },
      says: /at least one/,
    },
    { when: 'a range is unreadable', change: { clusterCIDRs: ['ten'] }, says: /not a CIDR/ },
    {
      when: 'a node would be larger than the cluster',
      change: { maskSizes: [8] },
      says: /10.0.0.0\/16/,
    },
    { when: 'a mask is longer than an address', change: { maskSizes: [33] }, says: /longer than/ },
    { when: 'a mask size is missing', change: { maskSizes: [] }, says: /one mask size/ },
    {
      when: 'a service range is unreadable',
      change: { serviceCIDRs: ['ten'] },
      says: /not a CIDR/,
    },
    {
      when: 'IPv6 is cut too fine',
      change: { clusterCIDRs: ['fd00::/47'], maskSizes: [64] },
      says: /16 bits/,
    },
  ])('refuses when $when', ({ change, says }) => {
    const checked = checkRanges({ ...good, ...change })
    expect(checked.ok ? '' : checked.problem).toMatch(says)
  })
})
