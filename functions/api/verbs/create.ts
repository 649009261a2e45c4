/** POST: creates an object, under the name it brings or a generated one. */

import { readJoin } from '../../../shared/auth/join/join-record.ts'
import { joiningNameOf } from '../../../shared/auth/subject.ts'
import type { KubeObject, ObjectMeta } from '../../../shared/kube/objects.ts'
import {
  alreadyExists,
  badRequest,
  forbidden,
  invalid,
  StatusError,
} from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { ResourceRequest } from '../deps.ts'
import { withDefaultHolderRule } from '../namespaces/holder-rule.ts'
import { requireNamespace } from '../namespaces/namespace-checks.ts'
import { requireNodeOfToken } from '../nodes/node-lease.ts'
import { requireRoomForZone } from '../nodes/reported-zone.ts'
import { withInstallTolerations } from '../pods/install-tolerations.ts'
import { requireRoomForPod } from '../pods/reported-pods.ts'
import { admitChange, noteCreated } from '../request/access.ts'
import { decodeResource } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import { respondWithStored } from '../response/object-response.ts'
import { storageOf } from '../storage/registry.ts'
import type { ResourceStorage, Stored, WriteOutcome } from '../storage/resource-storage.ts'
import { checkObjectSize, withoutManagedFields } from './stored-form.ts'

// As kube-apiserver: with 27^5 suffixes, eight misses in a row mean that something else is wrong.
const NAME_TRIES = 8

export async function create(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'CreateOptions')
  const { object, warnings } = await decodeResource(request, fieldValidation)
  const created = await createObject(request, object, dryRun)
  return await respondWithStored(request, created, { status: 201, warnings })
}

/** POST, PUT to a free name and apply all create here. */
export async function createObject(
  request: ResourceRequest,
  body: KubeObject,
  dryRun: boolean,
): Promise<Stored> {
  refuseVersion(body.metadata)
  const { resource } = request
  const admitted = withInstallTolerations(request, withServerFields(request, body))
  const draft = resource.prepareForCreate(admitted)
  await requireNamespace(request, draft.metadata.name ?? '')
  await requireNodeOfToken(request)
  await requireRoomForPod(request)
  await requireFreshJoin(request)
  await requireRoomForZone(request, draft)

  const storage = storageOf(request.api.store, resource, request.nowMs)
  const tries = draft.metadata.generateName && !draft.metadata.name ? NAME_TRIES : 1
  let name = ''
  for (let attempt = 0; attempt < tries; attempt++) {
    const candidate = named(draft, request.api.random)
    name = candidate.metadata.name ?? ''
    noteCreated(request.raw, name)
    await check(request, candidate)
    // After the checks: a default is not the caller's wish.
    const object = withDefaultHolderRule(request, withoutManagedFields(candidate))
    const outcome = await (dryRun ? createDryRun(storage, object) : storage.create(object))
    if (outcome.kind === 'written') return outcome.now
  }
  throw tries === 1 ? alreadyExists(resource, name) : noFreeName(alreadyExists(resource, name))
}

function refuseVersion({ resourceVersion }: ObjectMeta): void {
  if (!resourceVersion || resourceVersion === '0') return
  throw badRequest('resourceVersion should not be set on objects to be created')
}

/** The server sets these, whatever the client sent. */
function withServerFields(request: ResourceRequest, body: KubeObject): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    namespace: _namespace,
    ...kept
  } = body.metadata
  const { namespace } = request.key
  return {
    ...body,
    metadata: {
      ...kept,
      ...(namespace && { namespace }),
      uid: request.api.uuid(),
      creationTimestamp: formatTime(request.nowMs),
    },
  }
}

function named(draft: KubeObject, random: () => number): KubeObject {
  const { name, generateName: prefix } = draft.metadata
  if (name || !prefix) return draft
  return { ...draft, metadata: { ...draft.metadata, name: generateName(prefix, random) } }
}

async function check(request: ResourceRequest, object: KubeObject): Promise<void> {
  const { resource } = request
  const name = object.metadata.name ?? ''
  await admitChange(request, { operation: 'create', object })
  const errors = resource.validateCreate(object)
  if (errors.length > 0) throw invalid(resource, name, errors)
  checkObjectSize(request, object)
}

/** A dry run does everything but the write. Its object has no resourceVersion. */
async function createDryRun(storage: ResourceStorage, object: KubeObject): Promise<WriteOutcome> {
  const { name = '', namespace = '', uid = '' } = object.metadata
  const key = { namespace, name }
  const found = await storage.get(key)
  if (found) return { kind: 'outrun', found }
  return { kind: 'written', now: { key, uid, version: 0, object } }
}

function noFreeName({ body }: StatusError): StatusError {
  const hint = 'the server was not able to generate a unique name for the object; try again'
  return new StatusError(409, 'AlreadyExists', `${body.message}, ${hint}`, body.details)
}

// No vowels and no look-alikes, so that no word ever appears: as in Kubernetes.
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5
// Together with its suffix a generated name still fits where a DNS label is asked for.
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH

function generateName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, MAX_PREFIX_LENGTH)
  for (let at = 0; at < SUFFIX_LENGTH; at++) name += LETTERS[Math.floor(random() * LETTERS.length)]
  return name
}

/** A joining token creates one Node, once: it must not bring back what an operator deleted. */
async function requireFreshJoin({ api, identity, resource }: ResourceRequest): Promise<void> {
  const name = joiningNameOf(identity)
  if (!name || resource.plural !== 'nodes') return
  const join = (await readJoin(api.store, name))?.value
  if (!join || (join.nodeUid === undefined && join.tokenId === identity.tokenId)) return
  throw forbidden(resource, name, 'this joining token has been used or replaced; join again')
}
