/**
 * How is text turned into a value without trusting it? The built-in parser does the work; one scan
 * before it bounds the nesting, and another, only for those who ask, finds keys that were written
 * twice.
 */
import { badRequest } from './status-error.ts'

/** Kubernetes objects nest about twenty deep. Recursive readers further in rely on this bound. */
export const MAX_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

export function parseJson(text: string): unknown {
  if (nestsTooDeep(text)) throw tooDeep()
  const value = parseOrRefuse(text)
  return LONE_SURROGATE_ESCAPE.test(text) ? wellFormed(value) : value
}

export const tooDeep = () => badRequest(`the body is nested deeper than ${MAX_DEPTH} levels`)

function parseOrRefuse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`json parse error: ${error.message}`)
    throw error
  }
}

function nestsTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

/**
 * Index of the closing quote of the string that opens at `at`, or the end of a text that is cut
 * off.
 */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
  return slashes % 2 === 1
}

/** Half a surrogate pair cannot be written as UTF-8; Go reads it as U+FFFD and so do we. */
const LONE_SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  const copy = {}
  for (const [key, member] of Object.entries(value)) {
    setOwn(copy, key.toWellFormed(), wellFormed(member))
  }
  return copy
}

/**
 * Sets a member whatever it is called: assigning to `__proto__` would change the prototype instead.
 */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value
  else {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Paths of the keys written more than once, such as `spec.holderIdentity`. The parser keeps the
 * last of them. Takes text that has already been parsed, so it need not doubt the grammar.
 */
export function duplicateKeys(text: string): string[] {
  const duplicates: string[] = []
  const open: Level[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const level = open.at(-1)
    if (code === OPEN_BRACE) open.push({ keys: new Set(), step: '', expectsKey: true })
    else if (code === OPEN_BRACKET) open.push({ index: 0, step: '[0]', expectsKey: false })
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop()
    else if (code === COMMA && level) nextMember(level)
    else if (code === QUOTE) {
      const end = endOfString(text, at)
      if (level?.expectsKey) {
        const key = JSON.parse(text.slice(at, end + 1)) as string
        level.step = `.${key}`
        level.expectsKey = false
        if (level.keys?.has(key)) duplicates.push(pathOf(open))
        level.keys?.add(key)
      }
      at = end
    }
  }
  return duplicates
}

const COMMA = 0x2c

interface Level {
  /** The keys met so far, in an object; lists have none. */
  readonly keys?: Set<string>
  index?: number
  /** How a path goes on from here: `.spec` or `[3]`. */
  step: string
  expectsKey: boolean
}

function nextMember(level: Level): void {
  if (level.index === undefined) level.expectsKey = true
  else level.step = `[${++level.index}]`
}

const pathOf = (open: readonly Level[]): string =>
  open
    .map((level) => level.step)
    .join('')
    .slice(1)
