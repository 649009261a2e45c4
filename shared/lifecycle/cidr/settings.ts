import { brokenRules, type SettingGroup } from '../setting-group.ts'

interface CidrSettings {
  readonly allocateNodeCidrs: boolean
  readonly clusterCidr: string
  readonly serviceClusterIpRange: string
  readonly nodeCidrMaskSizeIpv4: number
  readonly nodeCidrMaskSizeIpv6: number
}

export const cidrSettings: SettingGroup<CidrSettings> = {
  defaults: {
    allocateNodeCidrs: false,
    clusterCidr: '',
    serviceClusterIpRange: '',
    nodeCidrMaskSizeIpv4: 24,
    nodeCidrMaskSizeIpv6: 64,
  },
  flags: {
    'allocate-node-cidrs': ['allocateNodeCidrs', 'boolean'],
    'cluster-cidr': ['clusterCidr', 'text'],
    'service-cluster-ip-range': ['serviceClusterIpRange', 'text'],
    'node-cidr-mask-size-ipv4': ['nodeCidrMaskSizeIpv4', 'integer'],
    'node-cidr-mask-size-ipv6': ['nodeCidrMaskSizeIpv6', 'integer'],
  },
  problems: ({ allocateNodeCidrs, clusterCidr }) =>
    brokenRules([
      [
        allocateNodeCidrs && clusterCidr === '',
        'allocate-node-cidrs: needs cluster-cidr, the range to hand out',
      ],
    ]),
}
