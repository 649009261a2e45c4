/** May these taints be stored? Tolerations share the rules for values and effects. */

import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  invalidValues,
  requiredValue,
  unsupportedValue,
} from '../field-errors.ts'
import { labelValue, qualifiedName } from '../meta/names.ts'
import type { Taint } from '../objects.ts'

const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Kubernetes reports these under `metadata.taints`, though they live in the spec. */
export function validateTaints(taints: readonly Taint[]): FieldErrors {
  const seen = new Set<string>()
  return taints.flatMap((taint, i) => {
    const field = `metadata.taints[${i}]`
    const pair = `${taint.key}:${taint.effect}`
    const repeated = seen.has(pair)
    seen.add(pair)
    const why = 'taints must be unique by key and effect pair'
    return [
      ...validateTaint(taint, field),
      ...(repeated ? [duplicateValue(field, taint, why)] : []),
    ]
  })
}

function validateTaint({ key, value, effect }: Taint, field: string): FieldErrors {
  return [
    ...invalidValues(`${field}.key`, key, qualifiedName(key ?? '')),
    ...validateTaintValue(`${field}.value`, value ?? ''),
    ...(effect ? validateEffect(`${field}.effect`, effect) : [requiredValue(`${field}.effect`)]),
  ]
}

/** A label value, with all that is wrong in one error. */
export function validateTaintValue(field: string, value: string): FieldErrors {
  const wrong = labelValue(value)
  return wrong.length > 0 ? [invalidValue(field, value, wrong.join(';'))] : []
}

export const validateEffect = (field: string, effect: string): FieldErrors =>
  EFFECTS.includes(effect) ? [] : [unsupportedValue(field, effect, EFFECTS)]
