/**
 * How objects, their images, tombstones and records are kept. The notifier reads stream images with
 * these too.
 */
import type { KubeObject } from '../../kube/objects.ts'
import { keyText, type ObjectState, parseKey, sinceWhen } from '../object-state.ts'
import type { Change, Key, StoredObject, StoredRecord } from '../ports.ts'
import {
  feedPartition,
  imagesPartition,
  objectPartition,
  recordsPartition,
  schemaNumber,
  tombstonePartition,
} from '../tables.ts'
import {
  type Item,
  itemOf,
  json,
  jsonOf,
  number,
  numberOf,
  readable,
  text,
  textOf,
} from './items.ts'

export const objectKey = (resource: string, key: Key) => ({
  partition: text(objectPartition(resource, keyText(key))),
  sort: text(keyText(key)),
})

export const imagesKey = (resource: string, key: Key) => ({
  partition: text(imagesPartition(resource, keyText(key))),
  sort: text(keyText(key)),
})

export const recordKey = (name: string) => ({
  partition: text(recordsPartition),
  sort: text(name),
})

export function objectItem(state: ObjectState, request: string): Item {
  const { lean, before, expiresAtMs } = state
  const { resource, key, object, fields, imagesVersion, receivedAtMs } = lean
  const { resourceVersion: _version, ...metadata } = object.metadata
  const node = resource === 'pods' ? fields['spec.nodeName'] : undefined
  return itemOf({
    ...objectKey(resource, key),
    schema: number(schemaNumber),
    uid: text(lean.uid),
    version: number(lean.version),
    createdVersion: number(lean.createdVersion),
    request: text(request),
    feed: text(feedPartition(resource, keyText(key))),
    object: json({ ...object, metadata }),
    labels: json(object.metadata.labels ?? {}),
    fields: json(fields),
    before: before && json(before),
    node: node ? text(node) : undefined,
    imagesVersion: imagesVersion === undefined ? undefined : number(imagesVersion),
    receivedAtMs: receivedAtMs === undefined ? undefined : number(receivedAtMs),
    ttl: ttlOf(expiresAtMs),
  })
}

export function imagesItem(state: ObjectState): Item {
  const { resource, key, version } = state.lean
  return {
    ...imagesKey(resource, key),
    schema: number(schemaNumber),
    version: number(version),
    images: json(state.images),
  }
}

/** A tombstone has a name of its own, so that delete, create and delete leave two. */
export function tombstoneItem(
  resource: string,
  change: Change,
  { request, expiresAtMs }: { readonly request: string; readonly expiresAtMs: number },
): Item {
  const key = keyText(change.key)
  return itemOf({
    partition: text(tombstonePartition(resource, key)),
    sort: text(`${key}/${change.uid}`),
    schema: number(schemaNumber),
    uid: text(change.uid),
    version: number(change.version),
    createdVersion: number(change.createdVersion),
    request: text(request),
    feed: text(feedPartition(resource, key)),
    labels: json(change.labels),
    fields: json(change.fields),
    before: change.before && json(change.before),
    deleted: { BOOL: true },
    ttl: ttlOf(expiresAtMs),
  })
}

/** Always lean: images are another item. */
export function objectOf(item: Item): ObjectState {
  const [resource = ''] = textOf(item, 'partition')!.split('#')
  const sort = textOf(item, 'sort')!
  return readable(`${resource} ${sort}`, item, 'schema', () => {
    const lean = storedObject(resource, sort, item)
    const past = pastOf(item)
    const labelsSince = sinceWhen(lean, past.before)
    return { lean: { ...lean, labelsSince }, ...past, ...lapse(item) }
  })
}

function storedObject(resource: string, sort: string, item: Item): StoredObject {
  const object = jsonOf<KubeObject>(item, 'object')!
  const version = numberOf(item, 'version')!
  const metadata = { ...object.metadata, resourceVersion: String(version) }
  return {
    resource,
    key: parseKey(sort),
    uid: textOf(item, 'uid')!,
    version,
    createdVersion: numberOf(item, 'createdVersion')!,
    fields: jsonOf(item, 'fields') ?? {},
    lean: true,
    ...(item.imagesVersion && { imagesVersion: numberOf(item, 'imagesVersion')! }),
    object: { ...object, metadata },
    ...(item.receivedAtMs && { receivedAtMs: numberOf(item, 'receivedAtMs')! }),
  }
}

const pastOf = (item: Item): Pick<Change, 'before'> =>
  item.before ? { before: jsonOf<NonNullable<Change['before']>>(item, 'before')! } : {}

/** From the changes index: a summary of an object, or a tombstone. */
export function changeFrom(item: Item): Change & { readonly expiresAtMs?: number } {
  const sort = textOf(item, 'sort')!
  return readable(`change of ${sort}`, item, 'schema', () => {
    const deleted = item.deleted?.BOOL === true
    return {
      key: parseKey(deleted ? sort.slice(0, sort.lastIndexOf('/')) : sort),
      uid: textOf(item, 'uid')!,
      version: numberOf(item, 'version')!,
      deleted,
      labels: jsonOf(item, 'labels') ?? {},
      fields: jsonOf(item, 'fields') ?? {},
      ...pastOf(item),
      createdVersion: numberOf(item, 'createdVersion')!,
      ...lapse(item),
    }
  })
}

export interface RecordWrite {
  readonly name: string
  readonly value: unknown
  readonly version: number
  readonly expiresAtMs?: number
}

export function recordItem(
  { name, value, version, expiresAtMs }: RecordWrite,
  request: string,
): Item {
  return itemOf({
    ...recordKey(name),
    schema: number(schemaNumber),
    version: number(version),
    request: text(request),
    value: json(value),
    ttl: ttlOf(expiresAtMs),
  })
}

export function recordOf<T>(item: Item): StoredRecord<T> & { readonly expiresAtMs?: number } {
  const name = textOf(item, 'sort')!
  return readable(`record ${name}`, item, 'schema', () => ({
    name,
    version: numberOf(item, 'version')!,
    value: jsonOf<T>(item, 'value')!,
    ...lapse(item),
  }))
}

const ttlOf = (expiresAtMs: number | undefined) =>
  expiresAtMs === undefined ? undefined : number(Math.ceil(expiresAtMs / 1_000))

const lapse = (item: Item) => (item.ttl ? { expiresAtMs: numberOf(item, 'ttl')! * 1_000 } : {})
