/** One small object of each resource, for clients that try every verb on it. */
import type { Resource } from '../../../shared/kube/resource.ts'
import { groupVersion } from '../../../shared/kube/table.ts'
import type { Attempt } from './client.ts'

const BODIES: Readonly<Record<string, object>> = {
  events: { involvedObject: { kind: 'Node', name: 'x', apiVersion: 'v1' }, reason: 'Sample' },
  pods: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
  leases: { spec: { holderIdentity: 'sample', leaseDurationSeconds: 60 } },
}

export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export function sampleOf(resource: Resource, name: string): Sample {
  return {
    apiVersion: groupVersion(resource),
    kind: resource.kind,
    metadata: { name, ...(resource.namespaced && { namespace: 'default' }) },
    ...BODIES[resource.plural],
  }
}

/** `/api/v1/namespaces/default/pods` */
export function collectionPath({ group, version, plural, namespaced }: Resource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`
}

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
