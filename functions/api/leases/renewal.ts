/**
 * PUT and PATCH of a Lease. Is the write a plain renewal? Then one conditional write without a read
 * serves it. Any other write, and a renewal that the stored lease does not allow, takes the path of
 * every resource, with what the attempt has found.
 */
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import { isObject } from '../../../shared/kube/json.ts'
import { MAX_HOLDER_BYTES } from '../../../shared/kube/lease/resource.ts'
import type { Lease, LeaseSpec, ObjectMeta } from '../../../shared/kube/objects.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import { normalizeMicroTime } from '../../../shared/kube/time.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { Renewal, StoredLease } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import { decodeResource } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import {
  type ApiResponse,
  JSON_HEADERS,
  JSON_TYPE,
  leaseHeaders,
  type PlainResponse,
} from '../response/json-response.ts'
import { type PatchBody, readPatch } from '../verbs/read-patch.ts'

type WantedRenewal = Omit<Renewal, 'key'>

export const writeLease = (request: ResourceRequest): Promise<ApiResponse> =>
  request.verb === 'patch' ? patchLease(request) : putLease(request)

async function putLease(request: ResourceRequest): Promise<ApiResponse> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'UpdateOptions')
  const { object, warnings } = await decodeResource(request, fieldValidation)
  const isPlain = isPlainRequest(request, dryRun) && warnings.length === 0
  const renewal = isPlain ? renewalInPut(request, object as Lease) : undefined
  const { response, found } = await attempt(request, renewal)
  if (response) return response
  const { putObject } = await import('../verbs/update.ts')
  return await putObject(request, { object, warnings, dryRun, found })
}

async function patchLease(request: ResourceRequest): Promise<ApiResponse> {
  const patch = await readPatch(request)
  const isPlain = isPlainRequest(request, patch.options.dryRun)
  const { response, found } = await attempt(request, isPlain ? renewalInPatch(patch) : undefined)
  if (response) return response
  const { patchObject } = await import('../verbs/patch.ts')
  return await patchObject(request, patch, found)
}

const isPlainRequest = ({ format }: ResourceRequest, dryRun: boolean): boolean =>
  !dryRun && format.as === 'object'

/** A PUT of the whole lease with the version last read, as kubelets and leader election send it. */
function renewalInPut(request: ResourceRequest, lease: Lease): WantedRenewal | undefined {
  const { metadata, spec } = lease
  const version = Number(metadata.resourceVersion || Number.NaN)
  if (!Number.isSafeInteger(version) || version <= 0) return undefined
  if (!spec?.holderIdentity || !spec.renewTime) return undefined
  if (spec.strategy !== undefined || spec.preferredHolder !== undefined) return undefined
  if (!isShort(metadata.uid ?? '') || !isShort(spec.holderIdentity)) return undefined
  if (!hasPlainMetadata(metadata) || !keepsOwner(request, metadata)) return undefined

  const object = { ...lease, metadata: { ...metadata, ...request.key, managedFields: undefined } }
  // The generic path reports errors in the right order: a stale version comes before bad fields.
  if (request.resource.validateCreate(object).length > 0) return undefined
  return { spec, version, uid: metadata.uid || undefined, object }
}

/** Only the generic path judges a deletion under way, or labels that only operators may set. */
function hasPlainMetadata(metadata: ObjectMeta): boolean {
  const { deletionTimestamp, finalizers, labels, annotations } = metadata
  if (deletionTimestamp || finalizers?.length) return false
  return !hasOperatorKeys(labels) && !hasOperatorKeys(annotations)
}

const hasOperatorKeys = (members: Readonly<Record<string, string>> | undefined): boolean =>
  members !== undefined && Object.keys(members).some((key) => key.includes('leasehold.dev/'))

/** A node may neither give its lease to another Node nor drop the owner; admission says why. */
function keepsOwner({ identity }: ResourceRequest, { ownerReferences = [] }: ObjectMeta): boolean {
  if (nodeNameOf(identity) === undefined) return true
  if (identity.nodeUid !== undefined && ownerReferences.length === 0) return false
  return ownerReferences.every(({ kind, uid }) => kind === 'Node' && uid === identity.nodeUid)
}

/** A merge patch of these fields of the spec and nothing else, as our own agent sends it. */
const RENEWABLE = new Set(['renewTime', 'holderIdentity', 'leaseDurationSeconds'])

function renewalInPatch({ type, patch, duplicates }: PatchBody): WantedRenewal | undefined {
  if ((type !== 'merge' && type !== 'strategic') || duplicates?.length) return undefined
  if (!isObject(patch) || !isObject(patch.spec) || Object.keys(patch).length !== 1) return undefined
  const spec = plainSpecOf(patch.spec)
  return spec && { spec }
}

function plainSpecOf(spec: Readonly<Record<string, unknown>>): LeaseSpec | undefined {
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
  value === undefined || (typeof value === 'string' && value !== '' && isShort(value))

/** What is compared is sent to the table, whether or not it could ever match. */
const isShort = (text: string): boolean => text.length <= MAX_HOLDER_BYTES

const isDuration = (value: unknown): value is number | undefined =>
  value === undefined ||
  (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31)

interface Attempt {
  readonly response?: PlainResponse
  readonly found?: StoredLease
}

async function attempt(
  request: ResourceRequest,
  wanted: WantedRenewal | undefined,
): Promise<Attempt> {
  if (!wanted) return {}
  const { api, key, identity, resource } = request
  const ownerUid = key.namespace === nodeLeaseNamespace ? identity.nodeUid : undefined
  const outcome = await api.store.leases.renew({ ...wanted, key, ownerUid })
  switch (outcome.kind) {
    case 'renewed':
      return { response: renewalResponse(request, outcome.lease) }
    case 'notRenewal':
      return { found: outcome.found }
    case 'missing':
      return {}
    case 'foreignOwner': {
      const why = 'this token was issued for another Node of this name; join again'
      throw forbidden(resource, key.name, why)
    }
  }
}

/**
 * A client that asks for it (RFC 7240) gets back only what it cannot know: the version to send next
 * time. What leaves AWS is paid for, and a fleet sends little else.
 */
const MINIMAL = /(^|[\s,;])return=minimal($|[\s,;])/i

function renewalResponse({ api, raw }: ResourceRequest, lease: StoredLease): PlainResponse {
  if (!MINIMAL.test(raw.headers.get('prefer') ?? '')) {
    const headers = { ...JSON_HEADERS, ...leaseHeaders(api, lease) }
    return { status: 200, headers, text: JSON.stringify(lease.object) }
  }
  const { resourceVersion } = lease.object.metadata
  return {
    status: 200,
    headers: {
      'content-type': JSON_TYPE,
      'preference-applied': 'return=minimal',
      ...leaseHeaders(api, lease),
    },
    text: JSON.stringify({ metadata: { resourceVersion } }),
  }
}
