/** A write as the api does it, without store and transport: default, prepare, validate. */

import type { FieldErrors } from '../../../shared/kube/field-errors.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Resource } from '../../../shared/kube/resource.ts'
import type { FieldError } from '../../../shared/kube/status-error.ts'

export interface WriteResult<T extends KubeObject> {
  readonly stored: T
  readonly errors: readonly FieldError[]
}

export function create<T extends KubeObject>(resource: Resource<T>, object: T): WriteResult<T> {
  const stored = resource.prepareForCreate(resource.withDefaults(object))
  return { stored, errors: resource.validateCreate(stored) }
}

export function update<T extends KubeObject>(
  resource: Resource<T>,
  { object, old, path }: { object: T; old: T; path?: string },
): WriteResult<T> {
  const before = resource.withDefaults(old)
  const stored = resource.prepareForUpdate(resource.withDefaults(object), before, path)
  return { stored, errors: resource.validateUpdate(stored, before, path) }
}

/** The vectors compare distinct (field, type) pairs as a set. */
export const pairs = (errors: readonly { field: string; type: string }[]): readonly string[] =>
  [...new Set(errors.map(({ field, type }) => `${field} ${type}`))].sort()

/** As kubectl prints them, one bullet each: `* field: message`. */
export const bullets = (errors: FieldErrors): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)
