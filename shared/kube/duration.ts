/**
 * Go durations, the way flags and annotations of Kubernetes spell them: `50s`, `1m30s`, `500ms`.
 * Callers that allow fewer or more spellings check or rewrite the text first.
 */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y

/**
 * Milliseconds, or undefined for anything that is not a duration. As in Go, only `0` needs no unit.
 */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (at === text.length) return undefined

  let totalMs = 0
  while (at < text.length) {
    PART.lastIndex = at
    const part = PART.exec(text)
    if (!part) return undefined
    totalMs += Number(part[1]) * UNIT_MS[part[2]!]!
    at = PART.lastIndex
  }
  return negative ? -totalMs : totalMs
}
