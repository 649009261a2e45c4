/** May these managedFields be accepted? They are checked and then not kept. */
import {
  type FieldErrors,
  invalidValue,
  invalidValues,
  requiredValue,
  tooLong,
  unsupportedValue,
} from '../field-errors.ts'
import { byteLength } from './names.ts'

const OPERATIONS: readonly string[] = ['Apply', 'Update']
const MAX_MANAGER_BYTES = 128
const MAX_SUBRESOURCE_BYTES = 256

export function validateManagedFields(
  entries: readonly unknown[] | undefined,
  field: string,
): FieldErrors {
  return (entries ?? []).flatMap((entry, i) => validateEntry(entry, `${field}[${i}]`))
}

function validateEntry(entry: unknown, field: string): FieldErrors {
  const { operation, fieldsType, manager, subresource } = Object(entry) as Record<string, unknown>
  const errors = [...validateOperation(operation, `${field}.operation`)]
  if (fieldsType && fieldsType !== 'FieldsV1') {
    errors.push(invalidValue(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
  }
  if (byteLength(String(subresource ?? '')) > MAX_SUBRESOURCE_BYTES) {
    errors.push(tooLong(`${field}.subresource`, MAX_SUBRESOURCE_BYTES))
  }
  return [...errors, ...validateFieldManager(String(manager ?? ''), `${field}.manager`)]
}

function validateOperation(operation: unknown, field: string): FieldErrors {
  if (!operation) return [requiredValue(field, 'must not be empty')]
  return OPERATIONS.includes(operation as string)
    ? []
    : [unsupportedValue(field, operation, OPERATIONS)]
}

/** Also the rule for the `fieldManager` query parameter. */
export function validateFieldManager(manager: string, field: string): FieldErrors {
  // Each error repeats the text, so only a short one is checked character by character.
  if (byteLength(manager) > MAX_MANAGER_BYTES) return [tooLong(field, MAX_MANAGER_BYTES)]
  const unprintable = [...manager].flatMap((character, i) =>
    PRINTABLE.test(character) ? [] : [`invalid character U+${hex(character)} (at position ${i})`],
  )
  return invalidValues(field, manager, unprintable)
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const hex = (character: string) =>
  character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
