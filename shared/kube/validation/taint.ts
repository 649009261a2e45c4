/** Is this a taint? Its effect is also what a toleration may name. */
import type { Taint } from '../objects.ts'
import {
  complaints,
  duplicate,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from './field-errors.ts'
import { labelValue, qualifiedName } from './names.ts'

const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Kubernetes reports these under `metadata.taints`, though they live in the spec. */
export function validateTaints(taints: readonly Taint[]): FieldErrors {
  const seen = new Set<string>()
  return taints.flatMap((taint, i) => {
    const field = `metadata.taints[${i}]`
    const pair = `${taint.key}:${taint.effect}`
    const repeated = seen.has(pair)
    seen.add(pair)
    const twice = 'taints must be unique by key and effect pair'
    return [...validateTaint(taint, field), ...(repeated ? [duplicate(field, taint, twice)] : [])]
  })
}

function validateTaint({ key, value, effect }: Taint, field: string): FieldErrors {
  return [
    ...complaints(`${field}.key`, key, qualifiedName(key ?? '')),
    ...validateJoined(`${field}.value`, value ?? ''),
    ...(effect ? validateEffect(`${field}.effect`, effect) : [required(`${field}.effect`)]),
  ]
}

/** A label value whose complaints share one bullet. */
export function validateJoined(field: string, value: string): FieldErrors {
  const wrong = labelValue(value)
  return wrong.length > 0 ? [invalidValue(field, value, wrong.join(';'))] : []
}

export const validateEffect = (field: string, effect: string): FieldErrors =>
  EFFECTS.includes(effect) ? [] : [notSupported(field, effect, EFFECTS)]
