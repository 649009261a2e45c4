/** What does the client ask for beside the object: write options, and the format of the response? */
import type { FieldValidation } from '../../../shared/kube/decode/body.ts'
import {
  forbiddenField,
  requiredValue,
  unsupportedValue,
} from '../../../shared/kube/field-errors.ts'
import { validateFieldManager } from '../../../shared/kube/meta/managed-fields.ts'
import {
  badRequest,
  type FieldError,
  invalid,
  notAcceptable,
} from '../../../shared/kube/status-error.ts'
import type { IncludeObject } from '../../../shared/kube/table.ts'

/** CreateOptions, UpdateOptions and PatchOptions of Kubernetes, in the query. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

export function writeOptions(query: URLSearchParams, kind: OptionsKind): WriteOptions {
  const fieldValidation = query.get('fieldValidation') || 'Ignore'
  const manager = query.get('fieldManager')
  const errors = [
    ...dryRunErrors(query.getAll('dryRun')),
    ...(manager ? validateFieldManager(manager, 'fieldManager') : []),
    ...(isFieldValidation(fieldValidation)
      ? []
      : [unsupportedValue('fieldValidation', fieldValidation, ['Ignore', 'Strict', 'Warn'])]),
  ]
  refuseOptions(kind, errors)
  return {
    dryRun: query.getAll('dryRun').length > 0,
    fieldValidation: fieldValidation as FieldValidation,
  }
}

/** Only a patch has these: `force` belongs to apply, and apply must name its field manager. */
export function checkApplyOptions(query: URLSearchParams, isApply: boolean): void {
  const errors: FieldError[] = []
  if (isApply && !query.get('fieldManager')) {
    errors.push(requiredValue('fieldManager', 'is required for apply patch'))
  }
  if (!isApply && query.has('force')) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'))
  }
  refuseOptions('PatchOptions', errors)
}

export const dryRunErrors = (values: readonly string[]): FieldError[] =>
  values
    .filter((value) => value !== 'All')
    .map((value) => unsupportedValue('dryRun', value, ['All']))

export function refuseOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  throw invalid({ group: 'meta.k8s.io', plural: '', kind }, '', errors)
}

/** A present parameter counts as true unless it is `0` or `false`: python sends `watch=True`. */
export function queryFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

const isFieldValidation = (text: string): text is FieldValidation =>
  text === 'Strict' || text === 'Warn' || text === 'Ignore'

/**
 * In which shape does the client want its response? Always JSON: the object, a Table, or the
 * metadata alone.
 */
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
 * Protobuf and YAML are served as JSON: every client that asks for them reads the Content-Type.
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
