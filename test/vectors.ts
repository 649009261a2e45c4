/** Kubernetes' behaviour as data: reads a vector file and writes out its shorthand. */
import { readFileSync } from 'node:fs'

export interface VectorCase {
  readonly name: string
  readonly source?: string
  // biome-ignore lint/suspicious/noExplicitAny: each file has a shape of its own, described in its `about`
  readonly given: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly expect: any
  readonly note?: string
}

export interface Vectors {
  readonly about: string
  readonly cases: readonly VectorCase[]
}

export function loadVectors(name: string): Vectors {
  const file = new URL(`./vectors/${name}.json`, import.meta.url)
  const vectors = expand(JSON.parse(readFileSync(file, 'utf8'))) as Vectors & { count: number }
  if (vectors.cases.length !== vectors.count) throw new Error(`${name}: cases are missing`)
  return vectors
}

/** `{"$repeat": text, "$count": n}` stands for a long string. */
function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand)
  if (typeof value !== 'object' || value === null) return value
  if ('$repeat' in value && '$count' in value) {
    return String(value.$repeat).repeat(Number(value.$count))
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]))
}

/** Times in vectors are seconds from now; on the wire they are text. Null means absent. */
export function withTimes(value: unknown, nowMs: number): unknown {
  if (Array.isArray(value)) return value.map((element) => withTimes(element, nowMs))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [
    key,
    isTime(key) && typeof member === 'number'
      ? `${new Date(nowMs + member * 1000).toISOString().slice(0, 19)}Z`
      : withTimes(member, nowMs),
  ])
  return Object.fromEntries(members)
}

const isTime = (key: string) => /Time(stamp)?$/.test(key)
