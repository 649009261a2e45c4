/**
 * What does a write do to an object? The rules every adapter shares: versions, images, sizes, what
 * a watch is told.
 */
import { deepEqual } from '../kube/equal.ts'
import type { KubeObject, Node } from '../kube/objects.ts'
import { tooLarge } from '../kube/status-error.ts'
import type { Change, Key, PageRequest, Step, StoredObject } from './ports.ts'

/** DynamoDB takes 400 KB an item; the rest is room for what is kept beside the object. */
export const maxObjectBytes = 350 * 1024
/** Labels and fields are kept three times: in the object, beside it, and as they were before. */
export const maxSummaryBytes = 16 * 1024
export const tombstoneKeptMs = 30 * 60 * 1_000

export interface ObjectState {
  /** Without images. */
  readonly lean: StoredObject
  readonly images?: NonNullable<Node['status']>['images']
  readonly before?: Change['before']
  readonly expiresAtMs?: number
}

export type CreateStep = Extract<Step, { readonly do: 'createObject' }>
export type ReplaceStep = Extract<Step, { readonly do: 'replaceObject' }>

export const keyText = ({ namespace, name }: Key) => `${namespace}/${name}`

export function parseKey(text: string): Key {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/**
 * The first key a page may begin with. No name has the character that makes "after" an "at or
 * after".
 */
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
  const before = pastOf(believed)
  const changed = !lean && !sameImages(believed.object, step.object)
  const kept = !changed && imagesVersion !== undefined ? { imagesVersion } : {}
  const labelsSince = sinceWhen({ version, createdVersion, object: step.object }, before)
  const identity = { resource, fields, version, createdVersion, labelsSince, ...kept }
  const state = stateFrom(step, identity, changed ? undefined : 'kept')
  return { ...state, before }
}

export function changeOf({ lean, before }: ObjectState): Change {
  const { key, uid, version, createdVersion } = lean
  const now = { key, uid, version, deleted: false, ...summary(lean), createdVersion }
  return before ? { ...now, before } : now
}

export function tombstoneOf(believed: StoredObject, version: number): Change {
  const { key, uid, createdVersion } = believed
  const before = pastOf(believed)
  return { key, uid, version, deleted: true, ...summary(believed), before, createdVersion }
}

const pastOf = (believed: StoredObject) => ({
  version: believed.version,
  ...summary(believed),
  labelsSince: believed.labelsSince ?? believed.version,
})

/**
 * Labels hardly ever change, so this reaches far beyond the one state before that is kept: who
 * selects by label can be told for sure that an object never was theirs.
 */
export function sinceWhen(
  now: Pick<StoredObject, 'version' | 'createdVersion' | 'object'>,
  before: Change['before'],
): number {
  if (!before) return now.createdVersion
  if (!deepEqual(before.labels, labelsOf(now.object))) return now.version
  return before.labelsSince ?? before.version
}

/** The object as the wire shows it, images put back. */
export function whole({ lean, images }: Pick<ObjectState, 'lean' | 'images'>): StoredObject {
  const { lean: _lean, ...rest } = lean
  if (!images) return rest
  const node = lean.object as Node
  const object: Node = { ...node, status: { ...node.status, images } }
  return { ...rest, object }
}

/** TTL counts in seconds and is days late, so expired things are also left out by hand. */
export const wholeSecondsMs = (atMs: number) => Math.ceil(atMs / 1_000) * 1_000

export function hasLapsed(thing: { readonly expiresAtMs?: number }, nowMs: number): boolean {
  return thing.expiresAtMs !== undefined && thing.expiresAtMs <= nowMs
}

export function imagesOf(resource: string, object: KubeObject): ObjectState['images'] {
  return resource === 'nodes' ? (object as Node).status?.images : undefined
}

type Identity = Pick<
  StoredObject,
  'resource' | 'fields' | 'version' | 'createdVersion' | 'labelsSince'
>

/** `kept`: the images stay as they are, wherever they are. */
function stateFrom(step: CreateStep | ReplaceStep, identity: Identity, kept?: 'kept'): ObjectState {
  checkSize([step.object.metadata.labels, step.fields], maxSummaryBytes)
  // The version is ours and not kept in the text, so what fitted once fits again.
  const { resourceVersion: _version, ...theirs } = step.object.metadata
  const text = checkSize({ ...step.object, metadata: theirs })
  const { resource, version } = identity
  // What comes back is what would come back from a table: no undefined, nothing shared with the
  // caller.
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
    ...(step.expiresAtMs !== undefined && { expiresAtMs: wholeSecondsMs(step.expiresAtMs) }),
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

/**
 * Refuses what does not fit, before anything is written; returns it as the JSON it was measured by.
 */
export function checkSize(thing: unknown, maxBytes = maxObjectBytes): string {
  const text = JSON.stringify(thing)
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes) throw tooLarge(`${bytes} bytes are too many: the limit is ${maxBytes}`)
  return text
}
