/** `90s`, `30m`, `12h`, `7d`: one number and one unit, as people write them. */

import { UsageError } from '../../shared/flags/flag-set.ts'
import { parseDurationMs } from '../../shared/kube/duration.ts'

const TTL = /^[1-9]\d{0,8}[smhd]$/

/** Go has no unit for days, which are the usual size of a token's life. */
const daysAsHours = (text: string) => text.replace(/^(\d+)d$/, (_, days) => `${days * 24}h`)

export function parseTtlMs(written: string): number {
  const ms = TTL.test(written) ? parseDurationMs(daysAsHours(written)) : undefined
  if (ms === undefined) throw new UsageError(`"${written}" is no duration: write 30m, 12h or 7d`)
  return ms
}
