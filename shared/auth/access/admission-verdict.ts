/** What admission is asked, and what it may answer. */
import type { KubeObject } from '../../kube/objects.ts'
import type { NamedResource } from '../../kube/status-error.ts'
import type { Key } from '../../store/ports.ts'
import type { Identity } from '../identity.ts'

export interface AdmissionRequest {
  readonly identity: Identity
  /** A patch is an update. */
  readonly operation: 'create' | 'update' | 'delete'
  readonly resource: NamedResource
  /** Empty on the main path. */
  readonly subresource: string
  readonly key: Key
  /** As it would be stored; absent on delete and for an eviction, which is created. */
  readonly object?: KubeObject
  /**
   * As stored (for an eviction the pod); absent on create and on a renewal, which reads nothing and
   * compares the uid in its write.
   */
  readonly old?: KubeObject
  /** The caller's own Node. Needed when a node creates a pod; elsewhere only its uid is compared. */
  readonly node?: KubeObject
}

export type AdmissionVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The caller's own Node or the pod does not exist. */
  | { readonly kind: 'notFound'; readonly resource: NamedResource; readonly name: string }

export const allowed: AdmissionVerdict = { kind: 'allowed' }
export const forbid = (reason: string): AdmissionVerdict => ({ kind: 'forbidden', reason })
