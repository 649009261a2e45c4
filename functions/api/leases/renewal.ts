/**
 * The hot path: is this write a plain renewal, so that one conditional write without a read can
 * answer it? Whatever is not, or turns out not to be, takes the way of every other resource with
 * what the attempt has found.
 */
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import { isObject } from '../../../shared/kube/json.ts'
import type { Lease, LeaseSpec, ObjectMeta } from '../../../shared/kube/objects.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import { normalizeMicroTime } from '../../../shared/kube/time.ts'
import type { Renewal, StoredLease } from '../../../shared/store/ports.ts'
import { JSON_HEADERS } from '../answer/json-answer.ts'
import type { PlainAnswer } from '../answer/plain-answer.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { leaseHeaders } from './lease-headers.ts'

export type Attempt =
  | { readonly kind: 'answered'; readonly answer: PlainAnswer }
  | { readonly kind: 'slow'; readonly found?: StoredLease }

const SLOW: Attempt = { kind: 'slow' }

/**
 * A PUT of the whole lease with the version that was seen, as kubelets and leader election send it.
 */
export async function renewByPut(request: ResourceRequest, lease: Lease): Promise<Attempt> {
  const { metadata, spec } = lease
  const version = Number(metadata.resourceVersion || Number.NaN)
  if (!Number.isSafeInteger(version) || version <= 0 || !spec?.holderIdentity) return SLOW
  if (!spec.renewTime || spec.strategy !== undefined || spec.preferredHolder !== undefined) {
    return SLOW
  }
  if (!isOrdinary(metadata) || !ownsIt(request, metadata)) return SLOW

  const placed = { ...lease, metadata: { ...metadata, ...request.key, managedFields: undefined } }
  // The slow path says what is wrong, in the right order: a stale version comes before bad fields.
  if (request.resource.validateCreate(placed).length > 0) return SLOW
  return await renew(request, { spec, version, uid: metadata.uid || undefined, object: placed })
}

/** A merge patch of nothing but the times of the spec, as our own agent sends it. */
export async function renewByPatch(request: ResourceRequest, patch: unknown): Promise<Attempt> {
  const spec = plainSpecOf(patch)
  return spec ? await renew(request, { spec }) : SLOW
}

async function renew(request: ResourceRequest, wanted: Omit<Renewal, 'key'>): Promise<Attempt> {
  const { api, key, identity } = request
  const ownerUid = key.namespace === 'kube-node-lease' ? identity.nodeUid : undefined
  const outcome = await api.store.leases.renew({ ...wanted, key, ownerUid })
  switch (outcome.kind) {
    case 'renewed':
      return { kind: 'answered', answer: answerRenewal(request, outcome.lease) }
    case 'notRenewal':
      return { kind: 'slow', found: outcome.found }
    case 'missing':
      return SLOW
    case 'foreignOwner': {
      const why = 'this token was issued for another Node of this name; join again'
      throw forbidden(request.resource, key.name, why)
    }
  }
}

function answerRenewal({ api }: ResourceRequest, lease: StoredLease): PlainAnswer {
  const headers = { ...JSON_HEADERS, ...leaseHeaders(api, lease) }
  return { status: 200, headers, text: JSON.stringify(lease.object) }
}

/**
 * Nothing in it that only the slow path may judge: a deletion under way, or what only operators may
 * set.
 */
function isOrdinary({ deletionTimestamp, finalizers, labels, annotations }: ObjectMeta): boolean {
  if (deletionTimestamp || finalizers?.length) return false
  return !steers(labels) && !steers(annotations)
}

const steers = (members: Readonly<Record<string, string>> | undefined): boolean =>
  members !== undefined && Object.keys(members).some((key) => key.includes('leasehold.dev/'))

/** A node may not hand its lease to another Node, nor to nobody; admission says so in full. */
function ownsIt({ identity }: ResourceRequest, { ownerReferences = [] }: ObjectMeta): boolean {
  if (nodeNameOf(identity) === undefined) return true
  if (identity.nodeUid !== undefined && ownerReferences.length === 0) return false
  return ownerReferences.every(({ kind, uid }) => kind === 'Node' && uid === identity.nodeUid)
}

const RENEWABLE = new Set(['renewTime', 'holderIdentity', 'leaseDurationSeconds'])

function plainSpecOf(patch: unknown): LeaseSpec | undefined {
  if (!isObject(patch) || !isObject(patch.spec) || Object.keys(patch).length !== 1) return undefined
  const { spec } = patch
  if (!Object.keys(spec).every((key) => RENEWABLE.has(key))) return undefined
  const { renewTime, holderIdentity, leaseDurationSeconds } = spec
  const time = typeof renewTime === 'string' ? normalizeMicroTime(renewTime) : undefined
  if (time === undefined || !isHolder(holderIdentity) || !isDuration(leaseDurationSeconds)) {
    return undefined
  }
  return {
    renewTime: time,
    ...(holderIdentity !== undefined && { holderIdentity }),
    ...(leaseDurationSeconds !== undefined && { leaseDurationSeconds }),
  }
}

const isHolder = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value !== '')

const isDuration = (value: unknown): value is number | undefined =>
  value === undefined ||
  (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31)
