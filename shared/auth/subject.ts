/** Which well-known user or group is this? Names are Kubernetes' where it has one. */
import type { NamedResource } from '../kube/status-error.ts'
import type { Identity } from './identity.ts'

/** How errors name a Node. */
export const nodeResource: NamedResource = { group: '', plural: 'nodes', kind: 'Node' }

export const groupNames = {
  masters: 'system:masters',
  nodes: 'system:nodes',
  bootstrappers: 'system:bootstrappers',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  /** Hosts with a joining token: after the bootstrap token, before their Node exists. */
  joining: 'leasehold:joining',
  /** The monitor's own probe of the public api. */
  canary: 'leasehold:canary',
  viewers: 'leasehold:viewers',
  operators: 'leasehold:operators',
  /** Followed by a namespace. */
  leaseUsersPrefix: 'leasehold:lease-users:',
} as const

const NODE_USER_PREFIX = 'system:node:'

export const anonymous: Identity = {
  user: 'system:anonymous',
  groups: [groupNames.unauthenticated],
}

export const nodeUser = (nodeName: string) => `${NODE_USER_PREFIX}${nodeName}`

const PROGRAM_USER_PREFIX = 'program:'

export const programUser = (name: string) => `${PROGRAM_USER_PREFIX}${name}`

/** What an administrator has granted something to; undefined for everyone else. */
export const programIn = ({ user }: Identity): string | undefined =>
  user.startsWith(PROGRAM_USER_PREFIX) ? user.slice(PROGRAM_USER_PREFIX.length) : undefined

/** The name after `system:node:`, whatever the groups say; undefined for other users. */
export function nodeInUser(user: string): string | undefined {
  return user.startsWith(NODE_USER_PREFIX) ? user.slice(NODE_USER_PREFIX.length) : undefined
}

/** A node has both the user name and the group. With an empty name it may do nothing. */
export function nodeNameOf(identity: Identity): string | undefined {
  return identity.groups.includes(groupNames.nodes) ? nodeInUser(identity.user) : undefined
}

/** The name a host is joining under; undefined for everyone else, full nodes included. */
export function joiningNameOf(identity: Identity): string | undefined {
  return identity.groups.includes(groupNames.joining) ? nodeInUser(identity.user) : undefined
}

export function isBootstrapper(identity: Identity): boolean {
  return identity.groups.includes(groupNames.bootstrappers)
}

export function inAnyGroup(identity: Identity, ...wanted: readonly string[]): boolean {
  return identity.groups.some((group) => wanted.includes(group))
}
