/**
 * YAML for the people who write it by hand. The library is loaded at the first use, so that a cold
 * start does not pay for what most requests never need.
 */
import type { YAMLMap } from 'yaml'
import { isObject, MAX_DEPTH, MAX_VALUES, tooDeep } from './json.ts'
import { badRequest, StatusError, tooLarge } from './status-error.ts'

/**
 * What people write by hand is far smaller, and clients send JSON. Reading YAML costs fifty times
 * as much as reading JSON, and hostile YAML a hundred times more than that.
 */
const MAX_LENGTH = 32_768

export async function parseYaml(text: string): Promise<unknown> {
  if (text.length > MAX_LENGTH) throw tooLarge('a YAML body may have at most 32 KiB: send JSON')
  const yaml = await import('yaml')
  const value = refuseErrors(() => {
    // The library compares each key with all others; refuseRepeats finds repeated ones faster.
    const document = yaml.parseDocument(text, OPTIONS)
    const [error] = document.errors
    if (error) throw unreadable(`${error.message} at line ${lineAt(text, error.pos[0])}`)
    yaml.visit(document, { Map: (_, map) => refuseRepeats(map) })
    return document.toJS()
  })
  checkSize(value)
  return value
}

// A pretty error is made for every fault of a text, and a hostile one has thousands.
const OPTIONS = { uniqueKeys: false, merge: true, logLevel: 'error', prettyErrors: false } as const

function refuseRepeats(map: YAMLMap): void {
  const keys = new Set<string>()
  for (const { key } of map.items) {
    const name = String(key)
    if (keys.has(name)) {
      throw unreadable(`the key ${name.slice(0, 64)} is written twice`)
    }
    keys.add(name)
  }
}

/** Whatever the library throws means that the text is malformed. */
function refuseErrors(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof StatusError) throw error
    const why = error instanceof RangeError ? 'nested too deep' : String(error).split('\n')[0]
    throw unreadable(`${why}`)
  }
}

const unreadable = (why: string) => badRequest(`yaml parse error: ${why}`)
const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length

/**
 * What aliases multiply counts every time. An alias may stand inside its own anchor, so what looks
 * like a tree can be endless.
 */
function checkSize(root: unknown): void {
  let values = 0
  const visit = (value: unknown, depth: number): void => {
    if (++values > MAX_VALUES)
      throw tooLarge('the YAML body is too large once its aliases are read')
    if (!isObject(value) && !Array.isArray(value)) return
    if (depth > MAX_DEPTH) throw tooDeep()
    for (const member of Object.values(value)) visit(member, depth + 1)
  }
  visit(root, 1)
}
