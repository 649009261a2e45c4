/**
 * Who did what to which object, and what was the answer? One small value, with the names that
 * Kubernetes' audit.k8s.io/v1 has for them. It holds nothing of a body, a query or a header, so no
 * secret can be in it, and no field is longer than its limit.
 */
import { formatMicroTime } from '../kube/time.ts'
import type { Identity } from './identity.ts'
import { anonymous, groupNames, isBootstrapper, joiningNameOf, nodeNameOf } from './subject.ts'

export interface AuditEvent {
  readonly requestReceivedTimestamp: string
  readonly user: { readonly username: string; readonly groups: readonly string[] }
  /** Kubernetes' verb; of a path that is no resource, the method in lower case. */
  readonly verb: string
  /** Absent where the path is no resource. */
  readonly objectRef?: ObjectRef
  /** The path alone, where there is no object. */
  readonly requestURI?: string
  readonly dryRun?: true
  readonly responseStatus: { readonly code: number }
  /** So many like this one were not written down, because too many came at once. */
  readonly omitted?: number
}

export interface ObjectRef {
  readonly apiGroup?: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

/** The longest legal name, and twice as much for a user or a path. */
const MAX_NAME = 253
const MAX_TEXT = 512
const MAX_GROUPS = 16

interface Audited {
  /** Absent when the caller was not identified. */
  readonly identity?: Identity
  readonly verb: string
  readonly objectRef?: ObjectRef
  readonly path: string
  readonly isDryRun: boolean
  readonly code: number
  readonly nowMs: number
  readonly omitted: number
}

export function auditEvent(audited: Audited): AuditEvent {
  const { identity = anonymous, verb, objectRef, path, code, omitted } = audited
  return {
    requestReceivedTimestamp: formatMicroTime(audited.nowMs * 1_000),
    user: {
      username: clip(identity.user, MAX_TEXT),
      groups: identity.groups.slice(0, MAX_GROUPS).map((group) => clip(group, MAX_NAME)),
    },
    verb: clip(verb, MAX_NAME),
    ...(objectRef ? { objectRef: shortened(objectRef) } : { requestURI: clip(path, MAX_TEXT) }),
    ...(audited.isDryRun && { dryRun: true }),
    responseStatus: { code },
    ...(omitted > 0 && { omitted }),
  }
}

/** Without what is empty. */
function shortened(ref: ObjectRef): ObjectRef {
  const parts = Object.entries(ref).filter(([, value]) => value)
  const short = parts.map(([part, value]) => [part, clip(String(value), MAX_NAME)])
  return Object.fromEntries(short) as unknown as ObjectRef
}

const clip = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text

/** Neither a host, nor a part of this service, nor a program that only holds locks. */
export function isPerson(identity: Identity): boolean {
  if (nodeNameOf(identity) !== undefined || joiningNameOf(identity) !== undefined) return false
  if (isBootstrapper(identity) || identity.groups.includes(groupNames.canary)) return false
  const others = identity.groups.filter((group) => group !== groupNames.authenticated)
  const holdsLocks = (group: string) => group.startsWith(groupNames.leaseUsersPrefix)
  return others.length === 0 || !others.every(holdsLocks)
}
