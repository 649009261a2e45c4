/**
 * JSON from clients. The built-in parser does the work; a scan before it bounds the nesting, and
 * another, on request, finds keys that were written twice.
 */
import { badRequest, tooLarge } from './status-error.ts'

/** Kubernetes objects nest about twenty deep. Recursive readers further in rely on this bound. */
export const MAX_DEPTH = 64

/**
 * Members and elements of one body. A big Node has a thousand; each costs some microseconds to check
 * and may be worth an error, so that bytes alone do not bound the work.
 */
export const MAX_VALUES = 50_000

export const tooManyValues = () =>
  tooLarge(`the body has more than ${MAX_VALUES} values: send smaller objects`)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const COMMA = 0x2c

export function parseJson(text: string): unknown {
  checkShape(text)
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

function checkShape(text: string): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) throw tooDeep()
      values++
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
    else if (code === COMMA) values++
    if (values > MAX_VALUES) throw tooManyValues()
  }
}

/** Index of the closing quote of the string that opens at `at`, or the end of a cut-off text. */
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

/** Are two wire objects equal? An absent member equals an undefined one; key order is ignored. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && equalLists(a, b)
  }
  return equalMembers(a as Members, b as Members)
}

type Members = Readonly<Record<string, unknown>>

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, index) => deepEqual(element, b[index]))
}

function equalMembers(a: Members, b: Members): boolean {
  const keys = Object.keys(a)
  for (const key of keys) {
    // Own members only: `constructor` is not a member that every object has.
    const other = Object.hasOwn(b, key) ? b[key] : undefined
    if (!deepEqual(a[key], other)) return false
  }
  return Object.keys(b).every((key) => Object.hasOwn(a, key) || b[key] === undefined)
}
