/**
 * In which shape does the client want its answer? Always JSON; plain, as a Table, or cut to the
 * metadata.
 */
import { badRequest, notAcceptable } from '../../../shared/kube/status-error.ts'
import type { IncludeObject } from '../../../shared/kube/table.ts'

export interface Format {
  readonly as: 'object' | 'table' | 'metadata'
  /** Of meta.k8s.io, for tables and metadata. */
  readonly version: 'v1' | 'v1beta1'
  /** How much of each object goes with its row in a table. */
  readonly includeObject: IncludeObject
}

const PLAIN: Format = { as: 'object', version: 'v1', includeObject: 'Metadata' }

const SHAPES: Readonly<Record<string, Format['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
}

/** The first entry that can be served wins; `q` is ignored, as in kube-apiserver. */
export function negotiate(accept: string | null, query: URLSearchParams): Format {
  if (!accept || accept === 'application/json') return PLAIN
  for (const entry of accept.split(',')) {
    const format = formatOf(entry)
    if (format?.as === 'table') return { ...format, includeObject: includeObjectOf(query) }
    if (format) return format
  }
  throw notAcceptable('only the following media types are accepted: application/json')
}

function formatOf(entry: string): Format | undefined {
  const [type = '', ...parameters] = entry.split(';').map((part) => part.trim())
  if (!SERVED.has(type.toLowerCase())) return undefined
  const values = new Map(parameters.map((parameter) => splitOnce(parameter)))
  const as = values.get('as')
  if (as === undefined) return PLAIN

  const shape = Object.hasOwn(SHAPES, as) ? SHAPES[as] : undefined
  const version = values.get('v')
  if (!shape || values.get('g') !== 'meta.k8s.io') return undefined
  return version === 'v1' || version === 'v1beta1' ? { ...PLAIN, as: shape, version } : undefined
}

/**
 * Protobuf and YAML are answered in JSON: every client that asks for them reads the Content-Type.
 */
const SERVED = new Set([
  'application/json',
  'application/*',
  '*/*',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
])

function splitOnce(parameter: string): [string, string] {
  const at = parameter.indexOf('=')
  return at < 0 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)]
}

function includeObjectOf(query: URLSearchParams): IncludeObject {
  const wanted = query.get('includeObject') || 'Metadata'
  if (wanted === 'None' || wanted === 'Metadata' || wanted === 'Object') return wanted
  throw badRequest(`includeObject must be None, Metadata or Object, not ${JSON.stringify(wanted)}`)
}
