/**
 * How objects, their images, tombstones and records are stored. The notifier decodes stream records
 * with these too.
 */
import type { KubeObject } from '../../kube/objects.ts'
import type { EmittedEvent } from '../../lifecycle/world.ts'
import { keyText, labelsSinceVersion, type ObjectState, parseKey } from '../object-state.ts'
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
  jsonOf,
  jsonValue,
  numberOf,
  numberValue,
  readable,
  stringOf,
  stringValue,
} from './items.ts'

export const objectKey = (resource: string, key: Key) => ({
  partition: stringValue(objectPartition(resource, keyText(key))),
  sort: stringValue(keyText(key)),
})

export const imagesKey = (resource: string, key: Key) => ({
  partition: stringValue(imagesPartition(resource, keyText(key))),
  sort: stringValue(keyText(key)),
})

/** It has the uid, so that two deletions under one name leave two tombstones. */
export const tombstoneKey = (resource: string, key: Key, uid: string) => ({
  partition: stringValue(tombstonePartition(resource, keyText(key))),
  sort: stringValue(`${keyText(key)}/${uid}`),
})

export const recordKey = (name: string) => ({
  partition: stringValue(recordsPartition),
  sort: stringValue(name),
})

/** The id of the attempt that writes an item, and of the write that it replaces. */
export interface Writer {
  readonly attemptId: string
  readonly before?: string
}

const writerAttributes = ({ attemptId, before }: Writer) => ({
  request: stringValue(attemptId),
  requestBefore: before === undefined ? undefined : stringValue(before),
})

export function objectItem(state: ObjectState, writer: Writer): Item {
  const { lean, before, expiresAtMs, emits } = state
  const { resource, key, object, fields, imagesVersion, receivedAtMs } = lean
  const { resourceVersion: _version, ...metadata } = object.metadata
  const node = resource === 'pods' ? fields['spec.nodeName'] : undefined
  return itemOf({
    ...objectKey(resource, key),
    schema: numberValue(schemaNumber),
    uid: stringValue(lean.uid),
    version: numberValue(lean.version),
    createdVersion: numberValue(lean.createdVersion),
    ...writerAttributes(writer),
    feed: stringValue(feedPartition(resource, keyText(key))),
    object: jsonValue({ ...object, metadata }),
    labels: jsonValue(object.metadata.labels ?? {}),
    fields: jsonValue(fields),
    before: before && jsonValue(before),
    emits: emits && jsonValue(emits),
    node: node ? stringValue(node) : undefined,
    imagesVersion: imagesVersion === undefined ? undefined : numberValue(imagesVersion),
    receivedAtMs: receivedAtMs === undefined ? undefined : numberValue(receivedAtMs),
    ttl: ttlOf(expiresAtMs),
  })
}

export function imagesItem(state: ObjectState): Item {
  const { resource, key, version } = state.lean
  return {
    ...imagesKey(resource, key),
    schema: numberValue(schemaNumber),
    version: numberValue(version),
    images: jsonValue(state.images),
  }
}

export function tombstoneItem(
  resource: string,
  change: Change,
  { expiresAtMs, ...writer }: Writer & { readonly expiresAtMs: number },
): Item {
  const { key, uid } = change
  return itemOf({
    ...tombstoneKey(resource, key, uid),
    schema: numberValue(schemaNumber),
    uid: stringValue(uid),
    version: numberValue(change.version),
    createdVersion: numberValue(change.createdVersion),
    ...writerAttributes(writer),
    feed: stringValue(feedPartition(resource, keyText(key))),
    labels: jsonValue(change.labels),
    fields: jsonValue(change.fields),
    before: change.before && jsonValue(change.before),
    deleted: { BOOL: true },
    ttl: ttlOf(expiresAtMs),
  })
}

/** Always lean: the images are another item. */
export function decodeObject(item: Item): ObjectState {
  const [resource = ''] = stringOf(item, 'partition')!.split('#')
  const sort = stringOf(item, 'sort')!
  return readable(`${resource} ${sort}`, item, 'schema', () => {
    const lean = storedObject(resource, sort, item)
    const past = pastOf(item)
    const labelsSince = labelsSinceVersion(lean, past.before)
    const emits = item.emits && { emits: jsonOf<readonly EmittedEvent[]>(item, 'emits')! }
    return { lean: { ...lean, labelsSince }, ...past, ...expiryOf(item), ...emits }
  })
}

function storedObject(resource: string, sort: string, item: Item): StoredObject {
  const object = jsonOf<KubeObject>(item, 'object')!
  const version = numberOf(item, 'version')!
  const metadata = { ...object.metadata, resourceVersion: String(version) }
  return {
    resource,
    key: parseKey(sort),
    uid: stringOf(item, 'uid')!,
    version,
    createdVersion: numberOf(item, 'createdVersion')!,
    ...(item.request && { writtenBy: stringOf(item, 'request')! }),
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
export function decodeChange(item: Item): Change & { readonly expiresAtMs?: number } {
  const sort = stringOf(item, 'sort')!
  return readable(`change of ${sort}`, item, 'schema', () => {
    const deleted = item.deleted?.BOOL === true
    return {
      key: parseKey(deleted ? sort.slice(0, sort.lastIndexOf('/')) : sort),
      uid: stringOf(item, 'uid')!,
      version: numberOf(item, 'version')!,
      deleted,
      labels: jsonOf(item, 'labels') ?? {},
      fields: jsonOf(item, 'fields') ?? {},
      ...pastOf(item),
      createdVersion: numberOf(item, 'createdVersion')!,
      ...expiryOf(item),
    }
  })
}

interface RecordWrite {
  readonly name: string
  readonly value: unknown
  readonly version: number
  readonly expiresAtMs?: number
}

export function recordItem(
  { name, value, version, expiresAtMs }: RecordWrite,
  attemptId: string,
): Item {
  return itemOf({
    ...recordKey(name),
    schema: numberValue(schemaNumber),
    version: numberValue(version),
    request: stringValue(attemptId),
    value: jsonValue(value),
    ttl: ttlOf(expiresAtMs),
  })
}

export function decodeRecord<T>(item: Item): StoredRecord<T> & { readonly expiresAtMs?: number } {
  const name = stringOf(item, 'sort')!
  return readable(`record ${name}`, item, 'schema', () => ({
    name,
    version: numberOf(item, 'version')!,
    value: jsonOf<T>(item, 'value')!,
    ...expiryOf(item),
  }))
}

const ttlOf = (expiresAtMs: number | undefined) =>
  expiresAtMs === undefined ? undefined : numberValue(Math.ceil(expiresAtMs / 1_000))

const expiryOf = (item: Item) => (item.ttl ? { expiresAtMs: numberOf(item, 'ttl')! * 1_000 } : {})
