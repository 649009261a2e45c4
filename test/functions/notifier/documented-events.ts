/** docs/events.md as data: its schemas, examples and rules, read from the fenced blocks. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8')

type Json = Record<string, unknown>

/** ` ```json schema `, ` ```json example `, ` ```json rule `. */
export function blocks(kind: string, text = page): readonly Json[] {
  const fenced = text.matchAll(new RegExp(`^\`\`\`json ${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...fenced].map(([, body = '']) => JSON.parse(body) as Json)
}

const closed = new Set(['detail', 'object', 'change'])

/**
 * Schemas leave room for later fields; here they are closed, so that an undocumented field is
 * found. Only where a schema lists all there is: what a single event says of `detail` adds to what
 * all have in common.
 */
function close(schema: unknown, name = ''): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  const kept = Object.entries(schema).map(([key, value]) => [key, close(value, key)])
  const complete =
    closed.has(name) && 'properties' in schema && ('type' in schema || name === 'change')
  return { ...Object.fromEntries(kept), ...(complete && { additionalProperties: false }) }
}

/** By event type. */
export function validators(): ReadonlyMap<string, ValidateFunction> {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false })
  const [common, ...each] = blocks('schema').map((schema) => close(schema) as Json)
  ajv.addSchema(common!)
  const typeOf = (schema: Json) => String(schema.$id).replace(/^.*\/(.*)\.json$/, '$1')
  return new Map(each.map((schema) => [typeOf(schema), ajv.compile(schema)]))
}
