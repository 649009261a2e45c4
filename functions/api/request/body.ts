/** What did the client send? The body, of bounded size, as an object of a known kind. */
import { decodeBody } from '../../../shared/kube/decode/body.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'
import { badRequest, tooLarge } from '../../../shared/kube/status-error.ts'
import type { ApiContext, ResourceRequest } from '../deps.ts'
import type { ApiRequest } from './api-request.ts'
import type { WriteOptions } from './options.ts'

const EMPTY = new Uint8Array(0)

interface BodySource {
  readonly api: { readonly settings: Pick<ApiContext['settings'], 'bodyLimitBytes'> }
  readonly raw: ApiRequest
}

export async function readBody({ api, raw }: BodySource): Promise<Uint8Array> {
  const limitBytes = api.settings.bodyLimitBytes
  const header = raw.headers.get('content-length')
  const announced = header === null ? Number.NaN : Number(header)
  if (announced > limitBytes) throw tooBig(limitBytes)
  if ('content' in raw) return bounded(raw.content, limitBytes)
  // An HTTP server holds a client to the length it announced, so the quick way is safe here.
  if (announced >= 0) return bounded(new Uint8Array(await raw.arrayBuffer()), limitBytes)
  if (!raw.body) return EMPTY
  return await readBounded(raw.body, limitBytes)
}

function bounded(bytes: Uint8Array, limitBytes: number): Uint8Array {
  if (bytes.length > limitBytes) throw tooBig(limitBytes)
  return bytes
}

async function readBounded(body: ReadableStream<Uint8Array>, limitBytes: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limitBytes) throw tooBig(limitBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

const tooBig = (limitBytes: number) =>
  tooLarge(`Request entity too large: limit is ${limitBytes} bytes`)

type Expected = Omit<Parameters<typeof decodeBody>[0], 'bytes' | 'contentType'>

export async function decodeRequest(source: BodySource, expected: Expected) {
  const bytes = await readBody(source)
  const contentType = source.raw.headers.get('content-type') ?? undefined
  return await decodeBody({ bytes, contentType, ...expected })
}

/** The body of a write as an object of the resource the URL names. */
export async function decodeResource(
  request: ResourceRequest,
  fieldValidation: WriteOptions['fieldValidation'],
) {
  const { resource } = request
  const { object, warnings } = await decodeRequest(request, {
    schema: resource.schema,
    expected: { apiVersion: groupVersion(resource), kind: resource.kind },
    fieldValidation,
  })
  const decoded = withMetadata(object)
  checkPlace(request, decoded)
  if (request.verb === 'update' && !decoded.metadata.name) throw nameless(request.key.name)
  const complete = resource.withDefaults(decoded)
  const more = resource.warnings?.(complete, request.subresource?.name) ?? []
  return { object: complete, warnings: [...warnings, ...more] }
}

/** A PUT is the whole object with its name; without one it may be meant for another object. */
const nameless = (name: string) =>
  badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  )

export function withMetadata(object: Readonly<Record<string, unknown>>): KubeObject {
  return { ...object, metadata: object.metadata ?? {} }
}

/** The URL says which object is meant; a body may leave that out but not contradict it. */
export function checkPlace({ key, resource }: ResourceRequest, { metadata }: KubeObject): void {
  if (key.name && metadata.name && metadata.name !== key.name) {
    throw badRequest(
      `the name of the object (${metadata.name.slice(0, 253)}) does not match ` +
        `the name on the URL (${key.name})`,
    )
  }
  if (!resource.namespaced || !metadata.namespace || metadata.namespace === key.namespace) return
  throw badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  )
}
