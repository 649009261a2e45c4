/** How old is it, in as few letters as kubectl prints? Truncated, never rounded. */

const SECOND_MS = 1000
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

export function formatAge(fromMs: number | undefined, nowMs: number): string {
  if (fromMs === undefined) return '<unknown>'
  const seconds = Math.trunc((nowMs - fromMs) / SECOND_MS)
  // One second of disagreement between two clocks is forgiven; more is shown.
  if (seconds < -1) return '<invalid>'
  return formatSeconds(Math.max(seconds, 0))
}

function formatSeconds(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${seconds}s`
  if (seconds < 10 * MINUTE) return pair(seconds, [MINUTE, 'm'], [1, 's'])
  if (seconds < 3 * HOUR) return whole(seconds, [MINUTE, 'm'])
  if (seconds < 8 * HOUR) return pair(seconds, [HOUR, 'h'], [MINUTE, 'm'])
  if (seconds < 2 * DAY) return whole(seconds, [HOUR, 'h'])
  if (seconds < 8 * DAY) return pair(seconds, [DAY, 'd'], [HOUR, 'h'])
  if (seconds < 2 * YEAR) return whole(seconds, [DAY, 'd'])
  if (seconds < 8 * YEAR) return pair(seconds, [YEAR, 'y'], [DAY, 'd'])
  return whole(seconds, [YEAR, 'y'])
}

type Unit = readonly [seconds: number, letter: string]

const whole = (seconds: number, [unit, letter]: Unit) => `${Math.trunc(seconds / unit)}${letter}`

/** The smaller unit is left out when there is none of it. */
function pair(seconds: number, big: Unit, small: Unit): string {
  const rest = Math.trunc((seconds % big[0]) / small[0])
  return whole(seconds, big) + (rest > 0 ? `${rest}${small[1]}` : '')
}
