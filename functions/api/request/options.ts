/**
 * The query parameters of a write: what Kubernetes calls CreateOptions, UpdateOptions and
 * PatchOptions.
 */
import { type FieldError, invalid } from '../../../shared/kube/status-error.ts'
import { validateFieldManager } from '../../../shared/kube/validation/managed-fields.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

export function writeOptions(query: URLSearchParams, kind: OptionsKind): WriteOptions {
  const fieldValidation = query.get('fieldValidation') || 'Ignore'
  const errors = [
    ...dryRunErrors(query.getAll('dryRun')),
    ...validateFieldManager(query.get('fieldManager') ?? '', 'fieldManager'),
    ...(isFieldValidation(fieldValidation)
      ? []
      : [notSupported('fieldValidation', fieldValidation, ['Ignore', 'Strict', 'Warn'])]),
  ]
  refuse(kind, errors)
  return {
    dryRun: query.getAll('dryRun').length > 0,
    fieldValidation: fieldValidation as FieldValidation,
  }
}

/** What only a patch has: `force` belongs to apply, and apply must say who applies. */
export function checkApplyOptions(query: URLSearchParams, isApply: boolean): void {
  const errors: FieldError[] = []
  if (isApply && !query.get('fieldManager')) {
    errors.push(required('fieldManager', 'is required for apply patch'))
  }
  if (!isApply && query.has('force')) {
    errors.push({
      type: 'Forbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    })
  }
  refuse('PatchOptions', errors)
}

export const dryRunErrors = (values: readonly string[]): FieldError[] =>
  values.filter((value) => value !== 'All').map((value) => notSupported('dryRun', value, ['All']))

export function refuse(kind: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  throw invalid({ group: 'meta.k8s.io', plural: '', kind }, '', errors)
}

export const notSupported = (
  field: string,
  value: string,
  supported: readonly string[],
): FieldError => ({
  type: 'NotSupported',
  field,
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported
    .map((word) => `"${word}"`)
    .join(', ')}`,
})

const required = (field: string, why: string): FieldError => ({
  type: 'Required',
  field,
  message: `Required value: ${why}`,
})

/** A present parameter counts as true unless it is `0` or `false`: python sends `watch=True`. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

const isFieldValidation = (text: string): text is FieldValidation =>
  text === 'Strict' || text === 'Warn' || text === 'Ignore'
