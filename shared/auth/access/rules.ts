/** Which group may do what, as tables. The authoriser and SelfSubjectRulesReview both read these. */
import type { Identity } from '../identity.ts'
import { groupNames, isBootstrapper, joiningNameOf, nodeNameOf, programIn } from '../subject.ts'
import { nodeRules } from './node-rules.ts'
import { type PathRule, type Rule, type Rules, readVerbs } from './rule.ts'

const core = ['']
const coordination = ['coordination.k8s.io']
const leasehold = ['leasehold.dev']

const everything: Rules = {
  resources: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  paths: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

/** What an unauthenticated caller may see: that the service is up. */
const health: PathRule = {
  verbs: ['get', 'head'],
  nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version'],
}

/** As Kubernetes' system:discovery and system:basic-user: for every authenticated caller. */
const discovery: Rules = {
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

const viewerRules: readonly Rule[] = [
  {
    verbs: readVerbs,
    apiGroups: core,
    resources: [
      ...['nodes', 'nodes/status', 'pods', 'pods/status', 'events'],
      ...['namespaces', 'namespaces/status', 'services', 'services/status'],
    ],
  },
  { verbs: readVerbs, apiGroups: coordination, resources: ['leases'] },
  { verbs: readVerbs, apiGroups: ['events.k8s.io'], resources: ['events'] },
  { verbs: readVerbs, apiGroups: ['storage.k8s.io'], resources: ['csinodes', 'csidrivers'] },
  { verbs: readVerbs, apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'] },
  {
    verbs: readVerbs,
    apiGroups: leasehold,
    resources: ['zones', 'fleets', 'cells', 'explanations'],
  },
]

const operatorRules: readonly Rule[] = [
  // Cordon and taint are updates of a Node; drain is evictions after one.
  { verbs: ['update', 'patch', 'delete'], apiGroups: core, resources: ['nodes'] },
  { verbs: ['delete'], apiGroups: core, resources: ['pods'] },
  { verbs: ['create'], apiGroups: core, resources: ['pods/eviction'] },
  {
    verbs: ['get', 'list', 'create', 'delete'],
    apiGroups: leasehold,
    resources: ['bootstraptokens'],
  },
  // The switches that pause evictions.
  { verbs: ['update', 'patch'], apiGroups: leasehold, resources: ['zones', 'fleets'] },
]

const ownToken = (resourceNames?: readonly string[], owner = 'nodes'): Rule => ({
  verbs: ['create'],
  apiGroups: leasehold,
  resources: [`${owner}/token`],
  resourceNames,
})

function joiningRules(name: string): readonly Rule[] {
  return [
    // The path of a create has no name: admission compares the name in the body.
    { verbs: ['create'], apiGroups: core, resources: ['nodes'] },
    { verbs: ['get'], apiGroups: core, resources: ['nodes'], resourceNames: [name] },
    ownToken([name]),
  ]
}

/** By PUT, which also creates: the path of a POST has no name to match. */
const canaryRules: readonly Rule[] = [
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
  // A write in kube-node-lease says that a host is alive: only nodes may do that.
  if (namespace === '' || namespace === 'kube-node-lease') return []
  const verbs = [...readVerbs, 'create', 'update', 'patch', 'delete', 'deletecollection']
  return [{ verbs, apiGroups: coordination, resources: ['leases'], namespace }]
}

/** Viewers of the fleet may read its metrics. */
function pathsOfGroup(group: string): readonly PathRule[] {
  const isViewer = group === groupNames.viewers || group === groupNames.operators
  return isViewer ? [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }] : []
}

function rulesOfGroup(group: string): readonly Rule[] {
  if (group === groupNames.viewers) return viewerRules
  if (group === groupNames.operators) return [...viewerRules, ...operatorRules]
  if (group === groupNames.canary) return canaryRules
  return group.startsWith(groupNames.leaseUsersPrefix) ? leaseUserRules(group) : []
}

export function rulesOf(identity: Identity): Rules {
  const { groups } = identity
  if (groups.includes(groupNames.masters)) return everything
  const only = (resources: readonly Rule[]): Rules => ({ resources, paths: [health] })

  // A host that is joining may only do the next step of joining.
  if (isBootstrapper(identity)) return only([ownToken()])
  const joining = joiningNameOf(identity)
  if (joining !== undefined) return only(joining === '' ? [] : joiningRules(joining))
  const nodeName = nodeNameOf(identity)
  if (nodeName === '' || !groups.includes(groupNames.authenticated)) return only([])

  const ofNode = nodeName === undefined ? [] : [...nodeRules(nodeName), ownToken([nodeName])]
  const program = programIn(identity)
  const ofProgram = program === undefined ? [] : [ownToken([program], 'programs')]
  return {
    // The rules that a renewal needs come first.
    resources: [
      ...[...ofNode, ...ofProgram],
      ...[...groups.flatMap(rulesOfGroup), ...discovery.resources],
    ],
    paths: [health, ...groups.flatMap(pathsOfGroup), ...discovery.paths],
  }
}
