import { describe, expect, it } from 'vitest'
import type { Cidr } from '../../../../shared/kube/cidr.ts'
import { checkRanges } from '../../../../shared/lifecycle/cidr/config.ts'
import { parseNetwork } from '../../../../shared/lifecycle/cidr/network.ts'
import { type MaskFlags, pickMaskSizes } from './unshipped-allocator.ts'

const v4 = parseNetwork('10.0.0.0/16') as Cidr
const v6 = parseNetwork('fd00::/48') as Cidr

describe('mask sizes', () => {
  it.each<{ when: string; clusters: Cidr[]; flags: MaskFlags; sizes?: number[] }>([
    {
      when: 'IPv6 alone gives its size',
      clusters: [v6],
      flags: { nodeCIDRMaskSizeIPv6: 60 },
      sizes: [60],
    },
    {
      when: 'IPv6 alone has the one size',
      clusters: [v6],
      flags: { nodeCIDRMaskSize: 56 },
      sizes: [56],
    },
    {
      when: 'zero means not given',
      clusters: [v4, v6],
      flags: { nodeCIDRMaskSize: 0 },
      sizes: [24, 64],
    },
    {
      when: 'dual stack gives both sizes',
      clusters: [v6, v4],
      flags: { nodeCIDRMaskSizeIPv4: 26, nodeCIDRMaskSizeIPv6: 60 },
      sizes: [60, 26],
    },
    { when: 'IPv6 alone gives the IPv4 size', clusters: [v6], flags: { nodeCIDRMaskSizeIPv4: 26 } },
    {
      when: 'both kinds of flag are given',
      clusters: [v4],
      flags: { nodeCIDRMaskSize: 24, nodeCIDRMaskSizeIPv4: 24 },
    },
  ])('$when: $sizes', ({ clusters, flags, sizes }) => {
    const picked = pickMaskSizes(clusters, flags)
    expect(picked.ok ? picked.value : undefined).toEqual(sizes)
  })
})

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
      when: 'IPv6 is cut too fine',
      change: { clusterCIDRs: ['fd00::/47'], maskSizes: [64] },
      says: /16 bits/,
    },
  ])('refuses when $when', ({ change, says }) => {
    const checked = checkRanges({ ...good, ...change })
    expect(checked.ok ? '' : checked.problem).toMatch(says)
  })
})
