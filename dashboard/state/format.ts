/** Times and amounts as text. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `8 s`, `4 min 10 s`, `3 h 5 min`, `2 d 4 h`; never negative. */
export function span(ms: number): string {
  const left = Math.max(0, ms)
  if (left < MINUTE) return `${Math.floor(left / SECOND)} s`
  if (left < 10 * MINUTE) return pair(left, [MINUTE, 'min'], [SECOND, 's'])
  if (left < HOUR) return `${Math.floor(left / MINUTE)} min`
  if (left < DAY) return pair(left, [HOUR, 'h'], [MINUTE, 'min'])
  return pair(left, [DAY, 'd'], [HOUR, 'h'])
}

type Unit = readonly [ms: number, name: string]

function pair(ms: number, big: Unit, small: Unit): string {
  const rest = Math.floor((ms % big[0]) / small[0])
  const whole = `${Math.floor(ms / big[0])} ${big[1]}`
  return rest > 0 ? `${whole} ${rest} ${small[1]}` : whole
}

/** A countdown, rounded up: it says 1 s until the time has come. */
export function until(atMs: number, nowMs: number): string {
  const left = atMs - nowMs
  if (left <= 0) return 'now'
  return `in ${span(Math.ceil(left / SECOND) * SECOND)}`
}

export const ago = (atMs: number, nowMs: number): string =>
  nowMs - atMs < 2 * SECOND ? 'just now' : `${span(nowMs - atMs)} ago`

/** Local time; with the date when that is not today. */
export function clock(atMs: number, nowMs: number): string {
  const at = new Date(atMs)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')
  if (at.toDateString() === new Date(nowMs).toDateString()) return time
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${time}`
}

/** `03:04:05 (2 min ago)` */
export const clockAndAge = (atMs: number, nowMs: number): string =>
  `${clock(atMs, nowMs)} (${ago(atMs, nowMs)})`

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** `1 node`, `2 nodes`, `10,000 nodes`. */
export const amount = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`

export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

export const percent = (share: number): string =>
  // 99.6 % must not read as all of it, nor 0.3 % as none.
  `${share > 0.99 && share < 1 ? 99 : share > 0 && share < 0.01 ? 1 : Math.round(share * 100)} %`
