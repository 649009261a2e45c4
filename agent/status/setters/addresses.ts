/** Under which addresses can the host be reached? */
import { BlockList, isIP } from 'node:net'
import type { NodeAddress } from '../../../shared/kube/objects.ts'

export const PROVIDED_IP_ANNOTATION = 'alpha.kubernetes.io/provided-node-ip'

export interface AddressFacts {
  readonly hostname: string
  /** Configured ones, at most two; `0.0.0.0` and `::` mean "find one of this family". */
  readonly nodeIps: readonly string[]
  /** The address of the default route, if there is one. */
  readonly resolved?: string
  /** An external cloud provider sets the addresses and wants to know what was configured. */
  readonly hasExternalProvider: boolean
  /** Addresses on local interfaces; absent where they cannot be known, and then not checked. */
  readonly interfaces?: readonly string[]
}

interface Addressed {
  readonly addresses: readonly NodeAddress[]
  /** The annotation's value, or undefined where it must not be. */
  readonly providedIp?: string
}

/** Throws where a configured address cannot be this host's. */
export function findAddresses(existing: readonly NodeAddress[], facts: AddressFacts): Addressed {
  const [first, second] = facts.nodeIps
  const isSpecified = first !== undefined && !isUnspecified(first)
  for (const ip of [isSpecified ? first : undefined, second]) {
    if (ip !== undefined) validateNodeIp(ip, facts.interfaces)
  }
  const provided = isSpecified ? facts.nodeIps.join(',') : undefined
  const providedIp = facts.hasExternalProvider ? provided : undefined
  if (facts.hasExternalProvider && existing.length > 0) return { addresses: existing, providedIp }

  const host: NodeAddress = { type: 'Hostname', address: facts.hostname }
  if (facts.hasExternalProvider && first === undefined) return { addresses: [host], providedIp }
  return { addresses: [...internal(facts, isSpecified).map(internalIp), host], providedIp }
}

const internalIp = (address: string): NodeAddress => ({ type: 'InternalIP', address })

function internal(facts: AddressFacts, isSpecified: boolean): readonly string[] {
  if (isSpecified) return facts.nodeIps
  const found = isIP(facts.hostname) ? facts.hostname : facts.resolved
  if (!found) throw new Error("can't find an ip address of this host; set --node-ip")
  return [found]
}

const LOOPBACK = ranges(['127.0.0.0', 8, 'ipv4'], ['::1', 128, 'ipv6'])
const MULTICAST = ranges(['224.0.0.0', 4, 'ipv4'], ['ff00::', 8, 'ipv6'])
const LINK_LOCAL = ranges(['169.254.0.0', 16, 'ipv4'], ['fe80::', 10, 'ipv6'])
const UNSPECIFIED = ranges(['0.0.0.0', 32, 'ipv4'], ['::', 128, 'ipv6'])

function ranges(...subnets: readonly [string, number, 'ipv4' | 'ipv6'][]): BlockList {
  const list = new BlockList()
  for (const [net, prefix, family] of subnets) list.addSubnet(net, prefix, family)
  return list
}

const isIn = (list: BlockList, ip: string) => list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')
const isUnspecified = (ip: string) => isIP(ip) !== 0 && isIn(UNSPECIFIED, ip)

export function validateNodeIp(ip: string, interfaces?: readonly string[]): void {
  if (isIP(ip) === 0) throw new Error(`node ip "${ip}" is not an ip address`)
  for (const [list, word] of [
    [LOOPBACK, 'a loopback'],
    [MULTICAST, 'a multicast'],
    [LINK_LOCAL, 'a link-local'],
    [UNSPECIFIED, 'an unspecified'],
  ] as const) {
    if (isIn(list, ip)) throw new Error(`node ip ${ip} is ${word} address`)
  }
  if (!interfaces) return
  const local = new BlockList()
  for (const each of interfaces) local.addAddress(each, isIP(each) === 6 ? 'ipv6' : 'ipv4')
  if (!isIn(local, ip)) throw new Error(`node ip ${ip} is on none of this host's interfaces`)
}
