/**
 * Reads the texts of options: durations, lists, labels, taints. Every refusal says what would be
 * right.
 */
import { OWN_NODE_LABELS } from '../shared/kube/node-facts.ts'
import type { Taint, TaintEffect } from '../shared/kube/objects.ts'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** `90s`, `1m30s`, `5m`; a bare number is seconds. */
export function durationMs(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) {
    throw new Error(`"${text}" is not a duration such as 10s, 5m or 1m30s`)
  }
  return parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  )
}

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new Error(`"${text}" is not a whole number`)
  return Number(text)
}

export function truth(text: string): boolean {
  if (text === 'true' || text === '') return true
  if (text === 'false') return false
  throw new Error(`"${text}" is neither true nor false`)
}

export const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** `a=b,c=d`; thresholds may be written the kubelet's way, `memory.available<100Mi`. */
export function pairs(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    list(text).map((part) => {
      const match = /^([^=<]+)[=<](.*)$/.exec(part)
      if (!match) throw new Error(`"${part}" is not of the form key=value`)
      return [match[1], match[2]]
    }),
  )
}

const isBelow = (prefix: string, domain: string) =>
  prefix === domain || prefix.endsWith(`.${domain}`)

/** The rule the service applies to nodes, told here before it is told by a 403. */
export function labels(text: string): Readonly<Record<string, string>> {
  const found = pairs(text)
  for (const key of Object.keys(found)) {
    if (!mayLabelItself(key)) throw new Error(`a host may not set the label ${key} on itself`)
  }
  return found
}

function mayLabelItself(key: string): boolean {
  if (OWN_NODE_LABELS.has(key) || !key.includes('/')) return true
  const prefix = key.slice(0, key.indexOf('/'))
  if (isBelow(prefix, 'node-restriction.kubernetes.io')) return false
  if (isBelow(prefix, 'kubelet.kubernetes.io') || isBelow(prefix, 'node.kubernetes.io')) return true
  return !isBelow(prefix, 'kubernetes.io') && !isBelow(prefix, 'k8s.io')
}

const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** `key=value:NoSchedule`, the value being optional. */
export function taints(text: string): readonly Taint[] {
  return list(text).map((part) => {
    const match = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(part)
    const [, key = '', value, effect = ''] = match ?? []
    if (!EFFECTS.includes(effect)) {
      throw new Error(`"${part}" is not a taint such as dedicated=db:NoSchedule`)
    }
    return { key, ...(value && { value }), effect: effect as TaintEffect }
  })
}
