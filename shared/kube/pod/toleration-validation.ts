/** May these tolerations be stored? */

import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  invalidValues,
  unsupportedValue,
} from '../field-errors.ts'
import { qualifiedName } from '../meta/names.ts'
import { validateEffect, validateTaintValue } from '../node/taint-validation.ts'
import type { Toleration } from '../objects.ts'

export function validateTolerations(
  tolerations: readonly Toleration[],
  field: string,
): FieldErrors {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, `${field}[${i}]`))
}

function validateToleration(toleration: Toleration, field: string): FieldErrors {
  const { key, operator, effect, tolerationSeconds } = toleration
  const errors = [...(key ? invalidValues(`${field}.key`, key, qualifiedName(key)) : [])]
  if (!key && operator !== 'Exists') {
    const why =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    errors.push(invalidValue(`${field}.operator`, operator, why))
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    errors.push(invalidValue(`${field}.effect`, effect, why))
  }
  errors.push(...validateOperator(toleration, `${field}.operator`))
  return effect ? [...errors, ...validateEffect(`${field}.effect`, effect)] : errors
}

/** A wrong value is reported at the operator, as in Kubernetes. */
function validateOperator(toleration: Toleration, field: string): FieldErrors {
  const { operator, value } = toleration
  if (!operator || operator === 'Equal') return validateTaintValue(field, value ?? '')
  if (operator !== 'Exists') return [unsupportedValue(field, operator, ['Equal', 'Exists'])]
  if (!value) return []
  return [invalidValue(field, toleration, "value must be empty when `operator` is 'Exists'")]
}

/** A running pod may gain tolerations and change how long they last; it cannot lose one. */
export function validateNoneRemoved(
  now: readonly Toleration[],
  before: readonly Toleration[],
  field: string,
): FieldErrors {
  const kept = new Set(now.map(withoutSeconds))
  if (before.every((toleration) => kept.has(withoutSeconds(toleration)))) return []
  const why = 'existing toleration can not be modified except its tolerationSeconds'
  return [forbiddenField(field, why)]
}

const withoutSeconds = ({ key, operator, value, effect }: Toleration) =>
  JSON.stringify([key ?? '', operator ?? '', value ?? '', effect ?? ''])
