/**
 * What may a node request? The rules of Kubernetes' Node authorizer. Where they are wide (any name
 * on create and update), admission narrows them. Resources that this service does not serve are
 * listed too, and answer 404.
 */
import { type Rule, readVerbs } from './rule.ts'

export function nodeRules(nodeName: string): readonly Rule[] {
  return [...ownRules(nodeName), ...podRules, ...relatedRules, ...otherRules]
}

const ownRules = (nodeName: string): readonly Rule[] => [
  {
    verbs: ['get', 'update', 'patch', 'delete'],
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    namespace: 'kube-node-lease',
    resourceNames: [nodeName],
  },
  {
    verbs: ['create'],
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    namespace: 'kube-node-lease',
  },
  // No delete: a node may not remove itself.
  { verbs: ['create', 'update', 'patch'], apiGroups: [''], resources: ['nodes'] },
  { verbs: readVerbs, apiGroups: [''], resources: ['nodes'], resourceNames: [nodeName] },
  { verbs: ['update', 'patch'], apiGroups: [''], resources: ['nodes/status'] },
  {
    verbs: ['get', 'update', 'patch', 'delete'],
    apiGroups: ['storage.k8s.io'],
    resources: ['csinodes'],
    resourceNames: [nodeName],
  },
  { verbs: ['create'], apiGroups: ['storage.k8s.io'], resources: ['csinodes'] },
]

const podRules: readonly Rule[] = [
  { verbs: readVerbs, apiGroups: [''], resources: ['pods'], related: true },
  { verbs: ['create', 'delete'], apiGroups: [''], resources: ['pods'] },
  { verbs: ['update', 'patch'], apiGroups: [''], resources: ['pods/status'] },
  { verbs: ['create'], apiGroups: [''], resources: ['pods/eviction'] },
]

/** What the pods of the node refer to; each by its name. */
const relatedRules: readonly Rule[] = [
  { verbs: readVerbs, apiGroups: [''], resources: ['secrets', 'configmaps'], related: true },
  {
    verbs: ['get'],
    apiGroups: [''],
    resources: ['persistentvolumes', 'persistentvolumeclaims', 'serviceaccounts'],
    related: true,
  },
  {
    verbs: ['update', 'patch'],
    apiGroups: [''],
    resources: ['persistentvolumeclaims/status'],
    related: true,
  },
  { verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token'], related: true },
  {
    verbs: ['get'],
    apiGroups: ['storage.k8s.io'],
    resources: ['volumeattachments'],
    related: true,
  },
  { verbs: ['get'], apiGroups: ['resource.k8s.io'], resources: ['resourceclaims'], related: true },
]

const otherRules: readonly Rule[] = [
  {
    verbs: ['create', 'update', 'patch'],
    apiGroups: ['', 'events.k8s.io'],
    resources: ['events'],
  },
  { verbs: readVerbs, apiGroups: [''], resources: ['services'] },
  { verbs: ['get'], apiGroups: [''], resources: ['endpoints'] },
  { verbs: readVerbs, apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'] },
  { verbs: readVerbs, apiGroups: ['storage.k8s.io'], resources: ['csidrivers'] },
  {
    verbs: ['create', ...readVerbs],
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests'],
  },
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
  {
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['subjectaccessreviews', 'localsubjectaccessreviews'],
  },
]
