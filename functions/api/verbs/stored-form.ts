/** What of an object is stored, and is it small enough? */
import { joiningNameOf, nodeNameOf } from '../../../shared/auth/subject.ts'
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { tooLarge } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'

// DynamoDB holds 400 KB an item; the rest is for the attributes beside the object.
const MAX_OBJECT_BYTES = 350 * 1024
/**
 * What a host may write, so that it can make neither the monitor, which keeps Nodes and parts of pods
 * in memory and scans leases in every tick, nor the lists of Events expensive. A kubelet's Node has
 * about 10 KB, a static pod with its status 15, a lease and an Event less than 2.
 */
const MAX_REPORTED_BYTES: Readonly<Partial<Record<string, number>>> = {
  nodes: 64 * 1024,
  pods: 32 * 1024,
  events: 8 * 1024,
  leases: 8 * 1024,
}

/** `old` is what is stored; absent on create. */
export function checkObjectSize(
  request: ResourceRequest,
  object: KubeObject,
  old?: KubeObject,
): void {
  const limit = limitOf(request, old)
  const size = bytesOf(object)
  if (size <= limit) return
  const { kind } = request.resource
  throw tooLarge(`this ${kind} takes ${size} bytes, more than the ${limit} that are kept`)
}

function limitOf({ resource, identity }: ResourceRequest, old: KubeObject | undefined): number {
  const reported = nodeNameOf(identity) ?? joiningNameOf(identity)
  const limit = reported === undefined ? undefined : MAX_REPORTED_BYTES[resource.plural]
  if (limit === undefined) return MAX_OBJECT_BYTES
  if (resource.plural !== 'pods' || !old) return limit
  // The spec of a pod is its owner's, however large: the host adds to it what it reports.
  return Math.min(limit + bytesOf((old as Pod).spec ?? {}), MAX_OBJECT_BYTES)
}

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value))

/**
 * managedFields are decoded, checked and not stored: apply is a forced merge here, so nothing reads
 * them, and they make lists four times as long.
 */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _dropped, ...metadata } = object.metadata
  return { ...object, metadata }
}
