/** One watch event as a line of JSON, in the shape the client asked for. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'
import type { Status } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { jsonHeaders } from '../response/json-response.ts'
import { shapedObject } from '../response/object-response.ts'
import type { Delta } from './change-source.ts'
import type { WatchEventType } from './event-filter.ts'

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

export interface EventEncoder {
  object(type: WatchEventType, object: KubeObject, nowMs: number): string
  bookmark(version: number, nowMs: number, annotations?: Readonly<Record<string, string>>): string
}

export function eventEncoder({
  resource,
  format,
}: Pick<ResourceRequest, 'resource' | 'format'>): EventEncoder {
  const names = { kind: resource.kind, apiVersion: groupVersion(resource) }
  // kubectl keeps the columns of the first event.
  let hasColumns = false

  const shaped = (object: KubeObject, nowMs: number) => {
    if (format.as === 'object') return objectText(object, names)
    const shape = shapedObject({ resource, format, nowMs }, object, !hasColumns)
    hasColumns = true
    return JSON.stringify(shape)
  }

  return {
    object: (type, object, nowMs) => line(type, shaped(object, nowMs)),
    bookmark(version, nowMs, annotations) {
      const metadata = { resourceVersion: String(version), ...(annotations && { annotations }) }
      return line('BOOKMARK', shaped({ ...names, metadata }, nowMs))
    },
  }
}

export const errorEvent = (status: Status): string => line('ERROR', JSON.stringify(status))

const line = (type: string, text: string) => `{"type":"${type}","object":${text}}\n`

/** The same object goes to many watches; it is encoded once. */
const texts = new WeakMap<KubeObject, string>()

function objectText(
  object: KubeObject,
  names: { readonly kind: string; readonly apiVersion: string },
): string {
  const text = texts.get(object) ?? JSON.stringify({ ...object, ...names })
  texts.set(object, text)
  return text
}

/** As the client is to see it: a DELETED shows the last state with the version of the deletion. */
export function eventObject({ key, uid, version, labels, object }: Delta): KubeObject {
  const resourceVersion = String(version)
  if (object?.metadata.resourceVersion === resourceVersion) return object
  if (object) return { ...object, metadata: { ...object.metadata, resourceVersion } }
  const { name, namespace } = key
  const metadata = { name, ...(namespace && { namespace }), ...(uid && { uid }), resourceVersion }
  return { metadata: Object.keys(labels).length > 0 ? { ...metadata, labels } : metadata }
}

/** Made while it is read. An error breaks the body off, so that a part is not taken for all. */
export function eventStreamResponse(
  events: AsyncGenerator<string>,
  stop: () => Promise<void>,
): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await stop()
      await events.return(undefined)
    },
  })
  return new Response(body, { headers: jsonHeaders() })
}
