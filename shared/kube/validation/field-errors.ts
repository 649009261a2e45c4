/**
 * How is one wrong field told? Constructors for the bullets kubectl prints, in Kubernetes' own
 * wording.
 */
import type { FieldError } from '../status-error.ts'

export type FieldErrors = readonly FieldError[]

/** Values are shown as Go's `%q` and `%v` would; anything composed is shown as JSON. */
const shown = (value: unknown): string => JSON.stringify(value ?? '')

const withDetail = (head: string, detail: string) => (detail ? `${head}: ${detail}` : head)

export const required = (field: string, detail = ''): FieldError => ({
  type: 'Required',
  field,
  message: withDetail('Required value', detail),
})

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'Invalid',
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
})

export const notSupported = (
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

export const duplicate = (field: string, value: unknown, detail = ''): FieldError => ({
  type: 'Duplicate',
  field,
  message: withDetail(`Duplicate value: ${shown(value)}`, detail),
})

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  type: 'TooLong',
  field,
  message: `Too long: may not be more than ${maxBytes} bytes`,
})

/** A check that could not be made at all, because what it looks at is broken. */
export const uncheckable = (field: string, why: string): FieldError => ({
  type: 'InternalError',
  field,
  message: `Internal error: ${why}`,
})

/** One error per complaint about the same value. */
export const complaints = (
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

/** Kubernetes repeats a complaint when two of its checks overlap; saying it once is enough. */
export function withoutRepeats(errors: FieldErrors): FieldErrors {
  const seen = new Set<string>()
  return errors.filter(({ type, field, message }) => {
    const key = `${type}\n${field}\n${message}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
