/** Constructors for the field errors that kubectl prints as bullets, in Kubernetes' wording. */
import type { FieldError } from './status-error.ts'

export type FieldErrors = readonly FieldError[]

/** Values are shown as Go's `%q` and `%v` would; anything composed is shown as JSON. */
function shown(value: unknown): string {
  const text = JSON.stringify(typeof value === 'string' ? clip(value) : (value ?? ''))
  return clip(text)
}

/** A value that is wrong may be as long as a body, and each of its errors shows it. */
const MAX_SHOWN = 512
const clip = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

const withDetail = (head: string, detail: string) => (detail ? `${head}: ${detail}` : head)

export const requiredValue = (field: string, detail = ''): FieldError => ({
  type: 'Required',
  field,
  message: withDetail('Required value', detail),
})

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'Invalid',
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
})

export const unsupportedValue = (
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  type: 'NotSupported',
  field,
  message:
    `Unsupported value: ${shown(value)}: ` + `supported values: ${supported.map(shown).join(', ')}`,
})

export const forbiddenField = (field: string, detail: string): FieldError => ({
  type: 'Forbidden',
  field,
  message: `Forbidden: ${detail}`,
})

export const duplicateValue = (field: string, value: unknown, detail = ''): FieldError => ({
  type: 'Duplicate',
  field,
  message: withDetail(`Duplicate value: ${shown(value)}`, detail),
})

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  type: 'TooLong',
  field,
  message: `Too long: may not be more than ${maxBytes} bytes`,
})

/** A check that could not be made, because the value it needs is itself invalid. */
export const internalError = (field: string, why: string): FieldError => ({
  type: 'InternalError',
  field,
  message: `Internal error: ${why}`,
})

/** One error per detail, all about the same value. */
export const invalidValues = (
  field: string,
  value: unknown,
  details: readonly string[],
): FieldErrors => details.map((detail) => invalidValue(field, value, detail))

export const atLeastZero = (field: string, value: number | undefined): FieldErrors =>
  value !== undefined && value < 0
    ? [invalidValue(field, value, 'must be greater than or equal to 0')]
    : []

export const aboveZero = (field: string, value: number | undefined): FieldErrors =>
  value !== undefined && value <= 0 ? [invalidValue(field, value, 'must be greater than 0')] : []

/** Kubernetes repeats an error when two of its checks overlap; once is enough. */
export function withoutRepeats(errors: FieldErrors): FieldErrors {
  const seen = new Set<string>()
  return errors.filter(({ type, field, message }) => {
    const key = `${type}\n${field}\n${message}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
