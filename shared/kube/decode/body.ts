/**
 * What did the client send? Bytes and a content type become an object of the expected kind, or a
 * 400 or 415. The caller has already limited the size of the body.
 */

import { duplicateKeys, isObject, parseJson } from '../json.ts'
import { decodeProtobuf, speaksProtobuf } from '../protobuf/decode.ts'
import type { ObjectSchema } from '../schema.ts'
import { badRequest, unsupportedMediaType } from '../status-error.ts'
import { parseYaml } from '../yaml.ts'
import { decodeBySchema } from './object.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

interface Expected {
  readonly apiVersion: string
  readonly kind: string
  /** Also accepted, and read as the expected one: clients send DeleteOptions under any group. */
  readonly alsoApiVersions?: 'any' | readonly string[]
}

export interface BodyRequest {
  readonly bytes: Uint8Array
  /** Absent means JSON, as in Kubernetes. */
  readonly contentType: string | undefined
  readonly schema: ObjectSchema
  readonly expected: Expected
  readonly fieldValidation: FieldValidation
}

interface DecodedBody {
  readonly object: Record<string, unknown>
  /** For Warning headers: `unknown field "spec.foo"`. */
  readonly warnings: readonly string[]
}

export async function decodeBody(request: BodyRequest): Promise<DecodedBody> {
  switch (mediaType(request.contentType)) {
    case 'application/json':
      return decodeJsonBody(request)
    case 'application/yaml':
      return decodeParsed(request, await parseYaml(bodyText(request.bytes)), [])
    case 'application/vnd.kubernetes.protobuf':
      return decodeProtobufBody(request)
    default:
      throw unsupportedMediaType(
        `the body of the request was in an unknown format (${request.contentType}): ` +
          'send application/json, application/yaml or application/vnd.kubernetes.protobuf',
      )
  }
}

function decodeJsonBody(request: BodyRequest): DecodedBody {
  const text = bodyText(request.bytes)
  const value = parseJson(text)
  // Unless the client asked to hear of it, the last of two equal keys wins, as in Kubernetes.
  const duplicates = request.fieldValidation === 'Ignore' ? [] : duplicateKeys(text)
  return decodeParsed(request, value, duplicates)
}

function decodeProtobufBody(request: BodyRequest): DecodedBody {
  const { schema, expected } = request
  if (!speaksProtobuf(schema)) {
    throw unsupportedMediaType(
      `${expected.kind} is not read in protobuf here: set the client's ContentType to application/json`,
    )
  }
  const value = decodeProtobuf(request.bytes, (apiVersion, kind) => {
    checkKind(expected, apiVersion, kind)
    return schema
  })
  return decodeParsed(request, value, [])
}

function decodeParsed(
  request: BodyRequest,
  value: unknown,
  duplicates: readonly string[],
): DecodedBody {
  const { schema, expected, fieldValidation } = request
  if (isObject(value)) checkKind(expected, value.apiVersion, value.kind)
  const { object, unknown } = decodeBySchema(schema, value)
  object.apiVersion = expected.apiVersion
  object.kind = expected.kind
  if (fieldValidation === 'Ignore') return { object, warnings: [] }

  const findings = [
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
  ].slice(0, MAX_FINDINGS)
  if (fieldValidation === 'Warn' || findings.length === 0) return { object, warnings: findings }
  throw badRequest(
    `${expected.kind} in version "v1" cannot be handled as a ${expected.kind}: ` +
      `strict decoding error: ${findings.join(', ')}`,
  )
}

/** Warnings travel in headers, whose total size is limited. */
export const MAX_FINDINGS = 32

/** Bodies may leave out what the URL already says; they may not contradict it. */
function checkKind(expected: Expected, apiVersion: unknown, kind: unknown): void {
  if (typeof kind === 'string' && kind !== '' && kind !== expected.kind) {
    const sent = typeof apiVersion === 'string' ? clip(apiVersion) : ''
    const version = JSON.stringify(sent.replace(/^.*\//, ''))
    throw badRequest(
      `${clip(kind)} in version ${version} cannot be handled as a ${expected.kind}: send a ${expected.kind}`,
    )
  }
  const { alsoApiVersions } = expected
  if (typeof apiVersion !== 'string' || apiVersion === '' || alsoApiVersions === 'any') return
  if (apiVersion !== expected.apiVersion && !alsoApiVersions?.includes(apiVersion)) {
    throw badRequest(
      `the API version in the data (${clip(apiVersion)}) does not match ` +
        `the expected API version (${expected.apiVersion})`,
    )
  }
}

const clip = (text: string): string => text.slice(0, 253)

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function bodyText(bytes: Uint8Array): string {
  if (bytes.length === 0) throw badRequest('the body is empty: send the object')
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw badRequest('the body is not valid UTF-8')
    throw error
  }
}

/** `application/json; charset=utf-8` is `application/json`. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return 'application/json'
  const end = contentType.indexOf(';')
  const type = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  return type === '' ? 'application/json' : type
}
