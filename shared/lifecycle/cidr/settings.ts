import { brokenRules, type SettingGroup } from '../setting-group.ts'

interface CidrSettings {
  readonly allocateNodeCidrs: boolean
  readonly clusterCidr: string
  readonly serviceClusterIpRange: string
  readonly nodeCidrMaskSizeIpv4: number
  readonly nodeCidrMaskSizeIpv6: number
}

/** As in Kubernetes. A size that is not this was given, and needs a range of its family. */
const DEFAULT_MASK = { IPv4: 24, IPv6: 64 }

export const cidrSettings: SettingGroup<CidrSettings> = {
  defaults: {
    allocateNodeCidrs: false,
    clusterCidr: '',
    serviceClusterIpRange: '',
    nodeCidrMaskSizeIpv4: DEFAULT_MASK.IPv4,
    nodeCidrMaskSizeIpv6: DEFAULT_MASK.IPv6,
  },
  flags: {
    'allocate-node-cidrs': ['allocateNodeCidrs', 'boolean'],
    'cluster-cidr': ['clusterCidr', 'text'],
    'service-cluster-ip-range': ['serviceClusterIpRange', 'text'],
    'node-cidr-mask-size-ipv4': ['nodeCidrMaskSizeIpv4', 'integer'],
    'node-cidr-mask-size-ipv6': ['nodeCidrMaskSizeIpv6', 'integer'],
  },
  problems: ({ allocateNodeCidrs, clusterCidr, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6 }) => {
    const isOnly = (family: 'IPv4' | 'IPv6') =>
      clusterCidr !== '' &&
      clusterCidr.split(',').every((cidr) => cidr.includes(':') === (family === 'IPv6'))
    return brokenRules([
      [
        allocateNodeCidrs && clusterCidr === '',
        'allocate-node-cidrs: needs cluster-cidr, the range to hand out',
      ],
      [
        isOnly('IPv6') && nodeCidrMaskSizeIpv4 !== DEFAULT_MASK.IPv4,
        'node-cidr-mask-size-ipv4: cluster-cidr has no IPv4 range',
      ],
      [
        isOnly('IPv4') && nodeCidrMaskSizeIpv6 !== DEFAULT_MASK.IPv6,
        'node-cidr-mask-size-ipv6: cluster-cidr has no IPv6 range',
      ],
    ])
  },
}
