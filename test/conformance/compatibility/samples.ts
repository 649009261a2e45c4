/** One small object of each resource, for clients that try every verb on it. */
import type { Resource } from '../../../shared/kube/resource.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'
import type { Attempt } from './client.ts'

const BODIES: Readonly<Record<string, object>> = {
  events: { involvedObject: { kind: 'Node', name: 'x', apiVersion: 'v1' }, reason: 'Sample' },
  pods: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
  services: { spec: { ports: [{ port: 80 }] } },
  csidrivers: { spec: {} },
  csinodes: { spec: { drivers: [] } },
  runtimeclasses: { handler: 'runc' },
  leases: { spec: { holderIdentity: 'sample', leaseDurationSeconds: 60 } },
}

/** Kinds whose name is in two groups. */
const BODIES_OF_GROUP: Readonly<Record<string, object>> = {
  'events.k8s.io': {
    eventTime: '2026-01-02T03:04:05.000000Z',
    reportingController: 'example.com/sample',
    reportingInstance: 'sample-1',
    regarding: { kind: 'Node', name: 'x', apiVersion: 'v1' },
    action: 'Try',
    reason: 'Sample',
    type: 'Normal',
  },
}

export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export function sampleOf(resource: Resource, name: string, labels?: object): Sample {
  return {
    apiVersion: groupVersion(resource),
    kind: resource.kind,
    metadata: {
      name,
      ...(resource.namespaced && { namespace: 'default' }),
      ...(labels && { labels }),
    },
    ...(BODIES_OF_GROUP[resource.group] ?? BODIES[resource.plural]),
  }
}

/** `/api/v1/namespaces/default/pods` */
export function collectionPath({ group, version, plural, namespaced }: Resource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`
}

/** By this label a client can delete its own objects and no others. */
export const OWN_LABEL = 'sample'

/** What `deletecollection` deletes: the objects that are labelled with this name. */
export const collectionOf = ({ resource, name }: Attempt) =>
  `${collectionPath(resource)}?labelSelector=${OWN_LABEL}%3D${name}`

/** What is sent to create the object, or what lies below it. */
export function bodyOf({ resource, subresource, name }: Attempt): object {
  const metadata = { name, namespace: 'default' }
  if (subresource === 'eviction') return { apiVersion: 'policy/v1', kind: 'Eviction', metadata }
  if (subresource === 'binding') {
    const target = { kind: 'Node', name: 'host-1' }
    return { apiVersion: 'v1', kind: 'Binding', metadata, target }
  }
  return sampleOf(resource, name)
}
