/** The deliberate differences of one vector file, as docs/conformance.md lists them. */
import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../../docs/conformance.md', import.meta.url), 'utf8')

const HEADER = '| case | reason |'

/** Case name to reason, from the table under the heading `## <file>.json`. */
export function differencesOf(file: string): ReadonlyMap<string, string> {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${file}.json\n`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && line !== HEADER)
  return new Map(rows.map(cellsOf))
}

function cellsOf(row: string): [name: string, reason: string] {
  const [name = '', reason = ''] = row.slice(2, -2).split(' | ')
  if (reason.trim() === '') throw new Error(`docs/conformance.md: no reason for "${name}"`)
  return [name.trim(), reason.trim()]
}
