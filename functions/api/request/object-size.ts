/** Is this object small enough to be kept? */

import { nodeNameOf } from '../../../shared/auth/subject.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { tooLarge } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from './resource-request.ts'

// DynamoDB holds 400 KB an item; the rest is for the attributes beside the object.
const MAX_OBJECT_BYTES = 350 * 1024
// Every judgement reads every node: one host must not make that dear for all.
const MAX_OWN_NODE_BYTES = 64 * 1024

export function checkSize({ resource, identity }: ResourceRequest, object: KubeObject): void {
  const own = resource.plural === 'nodes' && nodeNameOf(identity) !== undefined
  const limit = own ? MAX_OWN_NODE_BYTES : MAX_OBJECT_BYTES
  const size = Buffer.byteLength(JSON.stringify(object))
  if (size <= limit) return
  throw tooLarge(`this ${resource.kind} takes ${size} bytes, more than the ${limit} that are kept`)
}
