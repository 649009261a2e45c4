/** `90s`, `30m`, `12h`, `7d`: one number and one unit, as people write them. */
import { UsageError } from './command.ts'

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

export function parseDurationMs(written: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})([smhd])$/.exec(written) ?? []
  const ms = unitMs[unit]
  if (ms === undefined) throw new UsageError(`"${written}" is no duration: write 30m, 12h or 7d`)
  return Number(count) * ms
}
