/** One event as a line of JSON, in the shape the client asked for. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { toPartialMetadata } from '../../../shared/kube/partial-metadata.ts'
import type { Status } from '../../../shared/kube/status-error.ts'
import { groupVersion, toTable } from '../../../shared/kube/table.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import type { Delta } from './delta.ts'
import type { EventType } from './view.ts'

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

export interface Frames {
  object(type: EventType, object: KubeObject, nowMs: number): string
  bookmark(version: number, nowMs: number, annotations?: Readonly<Record<string, string>>): string
}

export function framesFor({
  resource,
  format,
}: Pick<ResourceRequest, 'resource' | 'format'>): Frames {
  const names = { kind: resource.kind, apiVersion: groupVersion(resource) }
  const apiVersion = `meta.k8s.io/${format.version}` as const
  // kubectl keeps the columns of the first frame.
  let hasColumns = false

  const tableText = (object: KubeObject, nowMs: number) => {
    const { resourceVersion } = object.metadata
    const table = toTable({
      resource,
      objects: [object],
      nowMs,
      apiVersion,
      includeObject: format.includeObject,
      metadata: resourceVersion ? { resourceVersion } : {},
      columnDefinitions: !hasColumns,
    })
    hasColumns = true
    return JSON.stringify(table)
  }

  const shaped = (object: KubeObject, nowMs: number) => {
    if (format.as === 'table') return tableText(object, nowMs)
    if (format.as === 'metadata') return JSON.stringify(toPartialMetadata(object, apiVersion))
    return plainText(object, names)
  }

  return {
    object: (type, object, nowMs) => frame(type, shaped(object, nowMs)),
    bookmark(version, nowMs, annotations) {
      const metadata = { resourceVersion: String(version), ...(annotations && { annotations }) }
      return frame('BOOKMARK', shaped({ ...names, metadata }, nowMs))
    },
  }
}

export const errorFrame = (status: Status): string => frame('ERROR', JSON.stringify(status))

const frame = (type: string, text: string) => `{"type":"${type}","object":${text}}\n`

/** The same object goes to many watches; it is written out once. */
const texts = new WeakMap<KubeObject, string>()

function plainText(
  object: KubeObject,
  names: { readonly kind: string; readonly apiVersion: string },
): string {
  const text = texts.get(object) ?? JSON.stringify({ ...object, ...names })
  texts.set(object, text)
  return text
}

/** As the client is to see it: a DELETED shows the last state with the version of the deletion. */
export function shownObject({ key, uid, version, labels, object }: Delta): KubeObject {
  const resourceVersion = String(version)
  if (object?.metadata.resourceVersion === resourceVersion) return object
  if (object) return { ...object, metadata: { ...object.metadata, resourceVersion } }
  const { name, namespace } = key
  const metadata = { name, ...(namespace && { namespace }), ...(uid && { uid }), resourceVersion }
  return { metadata: Object.keys(labels).length > 0 ? { ...metadata, labels } : metadata }
}
