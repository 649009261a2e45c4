import type { FieldErrors } from '../../../../shared/kube/validation/field-errors.ts'

/** As kubectl prints them, one bullet each: `* field: message`. */
export const bullets = (errors: FieldErrors): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)
