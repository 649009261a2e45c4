/**
 * Who may do what, as tables a person can read. The authoriser and SelfSubjectRulesReview both read
 * these.
 */
import type { Identity } from './identity.ts'
import { nodeRules } from './node-rules.ts'
import { groupNames, isBootstrapper, joiningNameOf, nodeNameOf } from './subject.ts'

export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  /** Plural, `plural/subresource`, or `*` for all of both. */
  readonly resources: readonly string[]
  /** Absent: every object. A list or watch counts when its selector names one of these. */
  readonly resourceNames?: readonly string[]
  /** Absent: every namespace, and what lies outside them. */
  readonly namespace?: string
  /** Only for objects bound to the calling node: a pod by name, or a list narrowed to the node. */
  readonly related?: true
}

export interface PathRule {
  readonly verbs: readonly string[]
  /** Exact, or ending in `/*`. */
  readonly nonResourceURLs: readonly string[]
}

export interface Rules {
  readonly resources: readonly Rule[]
  readonly paths: readonly PathRule[]
}

const read = ['get', 'list', 'watch']
const core = ['']
const coordination = ['coordination.k8s.io']
const ours = ['leasehold.dev']

const everything: Rules = {
  resources: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  paths: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

/** What a stranger may see: that the service is there. */
const health: PathRule = {
  verbs: ['get', 'head'],
  nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version'],
}

/** What every person, program and node needs to find its way. */
const orientation: Rules = {
  resources: [
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    {
      verbs: ['create'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['selfsubjectreviews'],
    },
  ],
  paths: [
    {
      verbs: ['get'],
      nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'],
    },
  ],
}

const viewing: readonly Rule[] = [
  {
    verbs: read,
    apiGroups: core,
    resources: ['nodes', 'nodes/status', 'pods', 'pods/status', 'events', 'namespaces'],
  },
  { verbs: read, apiGroups: coordination, resources: ['leases'] },
  { verbs: read, apiGroups: ours, resources: ['zones', 'fleets', 'cells'] },
]

const operating: readonly Rule[] = [
  // Cordon and taint are updates of a Node; drain is evictions after one.
  { verbs: ['update', 'patch', 'delete'], apiGroups: core, resources: ['nodes'] },
  { verbs: ['delete'], apiGroups: core, resources: ['pods'] },
  { verbs: ['create'], apiGroups: core, resources: ['pods/eviction'] },
  {
    verbs: ['get', 'list', 'create', 'delete'],
    apiGroups: ours,
    resources: ['bootstraptokens'],
  },
  // The switches that pause evictions.
  { verbs: ['update', 'patch'], apiGroups: ours, resources: ['zones', 'fleets'] },
]

const ownToken = (resourceNames?: readonly string[]): Rule => ({
  verbs: ['create'],
  apiGroups: ours,
  resources: ['nodes/token'],
  resourceNames,
})

function joiningRules(name: string): readonly Rule[] {
  return [
    // A create names nobody yet: admission compares the name in the body.
    { verbs: ['create'], apiGroups: core, resources: ['nodes'] },
    { verbs: ['get'], apiGroups: core, resources: ['nodes'], resourceNames: [name] },
    ownToken([name]),
  ]
}

/** By PUT, which creates what is missing: a POST names nobody and so matches no name. */
const canary: readonly Rule[] = [
  {
    verbs: ['get', 'create', 'update', 'patch'],
    apiGroups: coordination,
    resources: ['leases'],
    namespace: 'kube-system',
    resourceNames: ['leasehold-canary'],
  },
]

function leaseUserRules(group: string): readonly Rule[] {
  const namespace = group.slice(groupNames.leaseUsersPrefix.length)
  // Whoever may write there may say that any host is alive. That is for nodes and nobody else.
  if (namespace === '' || namespace === 'kube-node-lease') return []
  const verbs = [...read, 'create', 'update', 'patch', 'delete']
  return [{ verbs, apiGroups: coordination, resources: ['leases'], namespace }]
}

/** Whoever may look at the fleet may look at its figures. */
function pathsOfGroup(group: string): readonly PathRule[] {
  const looks = group === groupNames.viewers || group === groupNames.operators
  return looks ? [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }] : []
}

function rulesOfGroup(group: string): readonly Rule[] {
  if (group === groupNames.viewers) return viewing
  if (group === groupNames.operators) return [...viewing, ...operating]
  if (group === groupNames.canary) return canary
  return group.startsWith(groupNames.leaseUsersPrefix) ? leaseUserRules(group) : []
}

export function rulesOf(identity: Identity): Rules {
  const { groups } = identity
  if (groups.includes(groupNames.masters)) return everything
  const only = (resources: readonly Rule[]): Rules => ({ resources, paths: [health] })

  // Hosts on their way in see nothing but their next step.
  if (isBootstrapper(identity)) return only([ownToken()])
  const joining = joiningNameOf(identity)
  if (joining !== undefined) return only(joining === '' ? [] : joiningRules(joining))
  const nodeName = nodeNameOf(identity)
  if (nodeName === '' || !groups.includes(groupNames.authenticated)) return only([])

  const ofNode = nodeName === undefined ? [] : [...nodeRules(nodeName), ownToken([nodeName])]
  return {
    // The rules a beat needs come first.
    resources: [...ofNode, ...groups.flatMap(rulesOfGroup), ...orientation.resources],
    paths: [health, ...groups.flatMap(pathsOfGroup), ...orientation.paths],
  }
}
