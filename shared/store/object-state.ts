/**
 * What does a write do to an object? The rules both adapters share: versions, images, sizes, and the
 * summary that watches are served from.
 */
import { deepEqual } from '../kube/json.ts'
import type { KubeObject, Node } from '../kube/objects.ts'
import { tooLarge } from '../kube/status-error.ts'
import type { EmittedEvent } from '../lifecycle/world.ts'
import type { Change, Key, PageRequest, StoredObject, WriteStep } from './ports.ts'

/** A DynamoDB item is at most 400 KB; the rest is room for the other attributes. */
export const maxObjectBytes = 350 * 1024
/** Labels and fields are stored three times: in the object, beside it, and as they were before. */
const maxSummaryBytes = 16 * 1024
export const tombstoneKeptMs = 30 * 60 * 1_000

export interface ObjectState {
  /** Without images. */
  readonly lean: StoredObject
  readonly images?: NonNullable<Node['status']>['images']
  readonly before?: Change['before']
  readonly expiresAtMs?: number
  /** Of the write that made this state. */
  readonly emits?: readonly EmittedEvent[]
}

export type CreateStep = Extract<WriteStep, { readonly do: 'createObject' }>
export type ReplaceStep = Extract<WriteStep, { readonly do: 'replaceObject' }>

export const keyText = ({ namespace, name }: Key) => `${namespace}/${name}`

export function parseKey(text: string): Key {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** The lowest key a page may have. \u0001, which no name contains, turns "after" into "at or after". */
export function pageStart({ namespace, after }: PageRequest): string {
  const first = namespace === undefined ? '' : `${namespace}/`
  const following = after ? `${keyText(after)}\u0001` : ''
  return [first, following].sort()[1]!
}

export function createdObject(step: CreateStep, version: number): ObjectState {
  const { resource, fields } = step
  const identity = { resource, fields, version, createdVersion: version, labelsSince: version }
  return stateFrom(step, identity)
}

export function replacedObject(step: ReplaceStep, version: number): ObjectState {
  const { believed, fields } = step
  const { resource, createdVersion, lean, imagesVersion } = believed
  const before = summaryBefore(believed)
  const changed = !lean && !sameImages(believed.object, step.object)
  const kept = !changed && imagesVersion !== undefined ? { imagesVersion } : {}
  const labelsSince = labelsSinceVersion({ version, createdVersion, object: step.object }, before)
  const identity = { resource, fields, version, createdVersion, labelsSince, ...kept }
  const state = stateFrom(step, identity, changed ? undefined : 'kept')
  return { ...state, before, ...(step.emits?.length && { emits: step.emits }) }
}

export function changeOfState({ lean, before }: ObjectState): Change {
  const { key, uid, version, createdVersion } = lean
  const now = { key, uid, version, deleted: false, ...summary(lean), createdVersion }
  return before ? { ...now, before } : now
}

export function tombstoneOf(believed: StoredObject, version: number): Change {
  const { key, uid, createdVersion } = believed
  const before = summaryBefore(believed)
  return { key, uid, version, deleted: true, ...summary(believed), before, createdVersion }
}

const summaryBefore = (believed: StoredObject) => ({
  version: believed.version,
  ...summary(believed),
  labelsSince: believed.labelsSince ?? believed.version,
})

/**
 * Since when has the object had its labels? Only one earlier state is stored, but labels hardly ever
 * change: so a watch by label can usually tell that an object never matched.
 */
export function labelsSinceVersion(
  now: Pick<StoredObject, 'version' | 'createdVersion' | 'object'>,
  before: Change['before'],
): number {
  if (!before) return now.createdVersion
  if (!deepEqual(before.labels, labelsOf(now.object))) return now.version
  return before.labelsSince ?? before.version
}

/** The object as the api answers it, with its images. */
export function whole({ lean, images }: Pick<ObjectState, 'lean' | 'images'>): StoredObject {
  const { lean: _lean, ...rest } = lean
  if (!images) return rest
  const node = lean.object as Node
  const object: Node = { ...node, status: { ...node.status, images } }
  return { ...rest, object }
}

/** A TTL has whole seconds. DynamoDB deletes days late, so readers check `hasExpired` themselves. */
export const ceilToSecondMs = (atMs: number) => Math.ceil(atMs / 1_000) * 1_000

export function hasExpired(stored: { readonly expiresAtMs?: number }, nowMs: number): boolean {
  return stored.expiresAtMs !== undefined && stored.expiresAtMs <= nowMs
}

export function imagesOf(resource: string, object: KubeObject): ObjectState['images'] {
  return resource === 'nodes' ? (object as Node).status?.images : undefined
}

type Identity = Pick<
  StoredObject,
  'resource' | 'fields' | 'version' | 'createdVersion' | 'labelsSince'
>

/** `kept`: the stored images stay as they are. */
function stateFrom(step: CreateStep | ReplaceStep, identity: Identity, kept?: 'kept'): ObjectState {
  checkStoredSize([step.object.metadata.labels, step.fields], maxSummaryBytes)
  // The version is no part of the measured text, so an object that fitted once fits again.
  const { resourceVersion: _version, ...theirs } = step.object.metadata
  const text = checkStoredSize({ ...step.object, metadata: theirs })
  const { resource, version } = identity
  // As if read from a table: nothing undefined, nothing shared with the caller.
  const copy = JSON.parse(text) as KubeObject
  const images = kept ? undefined : imagesOf(resource, copy)
  const { name = '', namespace = '', uid = '' } = copy.metadata
  const metadata = { ...copy.metadata, resourceVersion: String(version) }
  const object = { ...withoutImages(resource, copy), metadata }
  return {
    lean: {
      ...identity,
      key: { namespace, name },
      uid,
      lean: true,
      ...(images && { imagesVersion: version }),
      object,
      ...(step.receivedAtMs !== undefined && { receivedAtMs: step.receivedAtMs }),
    },
    ...(images && { images }),
    ...(step.expiresAtMs !== undefined && { expiresAtMs: ceilToSecondMs(step.expiresAtMs) }),
  }
}

function withoutImages(resource: string, object: KubeObject): KubeObject {
  if (!imagesOf(resource, object)) return object
  const node = object as Node
  const { images: _images, ...status } = node.status ?? {}
  return { ...node, status } as Node
}

function sameImages(one: KubeObject, other: KubeObject): boolean {
  const text = (object: KubeObject) => JSON.stringify(imagesOf('nodes', object))
  return text(one) === text(other)
}

const labelsOf = ({ metadata }: KubeObject) => metadata.labels ?? {}

const summary = ({ object, fields }: StoredObject) => ({ labels: labelsOf(object), fields })

/** Throws when it is too large to store; returns the JSON it was measured by. */
export function checkStoredSize(value: unknown, maxBytes = maxObjectBytes): string {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes) throw tooLarge(`${bytes} bytes are too many: the limit is ${maxBytes}`)
  return text
}
