/**
 * YAML for the people who write it by hand. The library is loaded at the first use, so that a cold
 * start does not pay for what most requests never need.
 */
import { isObject, MAX_DEPTH, tooDeep } from './json.ts'
import { badRequest, tooLarge } from './status-error.ts'

/** An object may be 350 KB; reading YAML costs far more than reading JSON. */
const MAX_LENGTH = 1_048_576
/** More than a megabyte can say without aliases; what aliases multiply counts every time. */
const MAX_VALUES = 500_000

export async function parseYaml(text: string): Promise<unknown> {
  if (text.length > MAX_LENGTH) throw tooLarge('a YAML body may have at most 1 MiB: send JSON')
  const { parse } = await import('yaml')
  const value = refuseErrors(() => parse(text, { logLevel: 'error', merge: true }))
  checkSize(value)
  return value
}

/** Whatever the library throws, and it has many ways, means that the text was at fault. */
function refuseErrors(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    const why = error instanceof RangeError ? 'nested too deep' : String(error).split('\n')[0]
    throw badRequest(`yaml parse error: ${why}`)
  }
}

/** An alias may stand inside its own anchor, so what looks like a tree can be endless. */
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
