/**
 * Kubernetes writes two kinds of time: to the second (conditions, creation) and to the microsecond
 * (leases). Both are read in any RFC 3339 width and offset; each is written in exactly one form, in
 * UTC.
 */

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,32}))?(?:Z|([+-])(\d\d):(\d\d))$/

const MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const MIN_MS = Date.parse('0000-01-01T00:00:00Z')

interface Instant {
  /** Whole seconds since 1970, as milliseconds. */
  readonly secondMs: number
  /** What came after the decimal point, as written. */
  readonly fraction: string
}

function parseInstant(text: string): Instant | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])]
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) {
    return undefined
  }

  const eastMs = (offsetHour * 60 + offsetMinute) * 60_000 * (match[8] === '-' ? -1 : 1)
  const secondMs = utcMs(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 - eastMs
  // An offset can push the edges of the calendar into a year that four digits cannot show.
  if (secondMs < MIN_MS || secondMs > MAX_MS) return undefined
  return { secondMs, fraction: match[7] ?? '' }
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/** Date.UTC takes years below 100 for the twentieth century; 400 years are always 146,097 days. */
function utcMs(year: number, month: number, day: number): number {
  return Date.UTC(year + 400, month - 1, day) - 146_097 * 86_400_000
}

const toSeconds = (ms: number): string => new Date(ms).toISOString().slice(0, 19)

/** Milliseconds since 1970; finer digits are cut off. Undefined for anything that is not a time. */
export function parseTimeMs(text: string): number | undefined {
  const instant = parseInstant(text)
  if (!instant) return undefined
  return instant.secondMs + Number(instant.fraction.slice(0, 3).padEnd(3, '0'))
}

/** `2024-01-02T03:04:05Z`. */
export function formatTime(ms: number): string {
  return `${toSeconds(ms)}Z`
}

/** `2024-01-02T03:04:05.123456Z`, from microseconds since 1970. */
export function formatMicroTime(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000)
  const rest = Math.floor(micros - seconds * 1_000_000)
  return `${toSeconds(seconds * 1000)}.${String(rest).padStart(6, '0')}Z`
}

export function normalizeTime(text: string): string | undefined {
  const instant = parseInstant(text)
  if (!instant) return undefined
  // Nearly every time comes back in the form it is written in, and formatting costs more.
  if (instant.fraction === '' && text.endsWith('Z')) return text
  return formatTime(instant.secondMs)
}

/** Works on the digits, not on a number: microseconds of far years do not fit into a double. */
export function normalizeMicroTime(text: string): string | undefined {
  const instant = parseInstant(text)
  if (!instant) return undefined
  if (instant.fraction.length === 6 && text.endsWith('Z')) return text
  return `${toSeconds(instant.secondMs)}.${instant.fraction.slice(0, 6).padEnd(6, '0')}Z`
}
