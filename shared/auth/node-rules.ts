/**
 * What may a node ask for? The rules of Kubernetes' Node authorizer. Where they are wide (any name
 * on create and update), admission narrows them; what this service does not serve is listed all the
 * same and answers 404.
 */
import type { Rule } from './rules.ts'

const read = ['get', 'list', 'watch']

export function nodeRules(nodeName: string): readonly Rule[] {
  return [...ownRules(nodeName), ...podRules, ...otherRules]
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
  // No delete: a node does not decide that it is gone.
  { verbs: ['create', 'update', 'patch'], apiGroups: [''], resources: ['nodes'] },
  { verbs: read, apiGroups: [''], resources: ['nodes'], resourceNames: [nodeName] },
  { verbs: ['update', 'patch'], apiGroups: [''], resources: ['nodes/status'] },
]

const podRules: readonly Rule[] = [
  { verbs: read, apiGroups: [''], resources: ['pods'], related: true },
  { verbs: ['create', 'delete'], apiGroups: [''], resources: ['pods'] },
  { verbs: ['update', 'patch'], apiGroups: [''], resources: ['pods/status'] },
  { verbs: ['create'], apiGroups: [''], resources: ['pods/eviction'] },
]

const otherRules: readonly Rule[] = [
  { verbs: ['create', 'update', 'patch'], apiGroups: [''], resources: ['events'] },
  {
    verbs: ['get'],
    apiGroups: [''],
    resources: ['secrets', 'configmaps', 'persistentvolumes', 'persistentvolumeclaims'],
    related: true,
  },
  { verbs: read, apiGroups: [''], resources: ['services'] },
  { verbs: read, apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'] },
  { verbs: read, apiGroups: ['storage.k8s.io'], resources: ['csidrivers'] },
  {
    verbs: ['create', ...read],
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
