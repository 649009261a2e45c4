/** Parses the values of flags: durations, lists, labels, taints. Every error says what is right. */
import { isIP } from 'node:net'
import { parseDurationMs } from '../../shared/kube/duration.ts'
import { isForbiddenNodeLabel } from '../../shared/kube/node/well-known.ts'
import type { Taint, TaintEffect } from '../../shared/kube/objects.ts'
import { quantityValue } from '../machine/quantities.ts'

/** No sign and no unit below a millisecond: an interval of an agent has neither. */
const INTERVAL = /^(\d+(\.\d+)?(ms|s|m|h))+$/

/** `90s`, `1m30s`, `5m`; a bare number is seconds. */
export function durationMs(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const ms = INTERVAL.test(text) ? parseDurationMs(text) : undefined
  if (ms === undefined) throw new Error(`"${text}" is not a duration such as 10s, 5m or 1m30s`)
  return ms
}

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new Error(`"${text}" is not a whole number`)
  return Number(text)
}

export function trueOrFalse(text: string): boolean {
  if (text === 'true' || text === '') return true
  if (text === 'false') return false
  throw new Error(`"${text}" is neither true nor false`)
}

export const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export function ipList(text: string): readonly string[] {
  const found = commaList(text)
  const wrong = found.find((each) => isIP(each) === 0)
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an ip address`)
  return found
}

/** `a=b,c=d`; thresholds may be written the kubelet's way, `memory.available<100Mi`. */
export function pairs(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    commaList(text).map((part) => {
      const match = /^([^=<]+)[=<](.*)$/.exec(part)
      if (!match) throw new Error(`"${part}" is not of the form key=value`)
      return [match[1], match[2]]
    }),
  )
}

export function quantities(text: string): Readonly<Record<string, string>> {
  const found = pairs(text)
  for (const each of Object.values(found)) quantityValue(each)
  return found
}

export const durationsMs = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(pairs(text)).map(([key, each]) => [key, durationMs(each)]))

/** Labels for which the service would answer 403 are refused here, at start. */
export function labels(text: string): Readonly<Record<string, string>> {
  const found = pairs(text)
  const forbidden = Object.keys(found).find(isForbiddenNodeLabel)
  if (forbidden) throw new Error(`a host may not set the label ${forbidden} on itself`)
  return found
}

const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** `key=value:NoSchedule`, the value being optional. */
export function taints(text: string): readonly Taint[] {
  return commaList(text).map((part) => {
    const match = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(part)
    const [, key = '', value, effect = ''] = match ?? []
    if (!EFFECTS.includes(effect)) {
      throw new Error(`"${part}" is not a taint such as dedicated=db:NoSchedule`)
    }
    return { key, ...(value && { value }), effect: effect as TaintEffect }
  })
}

export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Error(`"${text}" is not an address such as https://leasehold.example.com`)
  }
  return text
}

export function bootstrapToken(text: string): string {
  if (!/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text)) {
    throw new Error('is not of the form abcdef.0123456789abcdef')
  }
  return text
}

/** As `leasehold token create` prints it; never shown, because it is a secret. */
export function nodeToken(text: string): string {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return text
  throw new Error('is not a token as "leasehold token create --node NAME" prints it')
}

export function cloudProvider(text: string): 'none' | 'aws' {
  if (text === 'none' || text === 'aws') return text
  throw new Error(`"${text}" is unknown; there is none and aws`)
}

export function nodeName(text: string): string {
  // As the kubelet derives it from a host name.
  const name = text.trim().toLowerCase()
  if (
    name.length > 253 ||
    !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name)
  ) {
    throw new Error(`"${text}" is not a legal name: letters, digits, dashes and dots`)
  }
  return name
}
