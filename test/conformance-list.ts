/**
 * Where do we differ from the given vectors on purpose? `docs/conformance.md` says so, one section
 * per vector file, and a suite that reads it from here fails when the page and the behaviour
 * disagree in either direction.
 */
import { readFileSync } from 'node:fs'

const PAGE = new URL('../docs/conformance.md', import.meta.url)

/** Case -> reason, from the section `## <file>`. A file without a section has no differences. */
export function knownDifferences(file: string): ReadonlyMap<string, string> {
  const page = readFileSync(PAGE, 'utf8')
  const section = page.split(/^## /m).find((part) => part.split('\n', 1)[0]?.trim() === file)
  const rows = (section ?? '').split('\n').filter((line) => line.startsWith('|'))
  // The first two lines of a table are its head.
  return new Map(rows.slice(2).map(rowOf))
}

function rowOf(line: string): [string, string] {
  const [, name = '', reason = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  if (name === '' || reason === '') throw new Error(`docs/conformance.md: incomplete row ${line}`)
  return [name.replaceAll('\\|', '|'), reason]
}

export interface Comparison {
  readonly file: string
  readonly cases: readonly { readonly name: string }[]
}

/** Names on the page that no case has: the page must shrink with the vectors. */
export function staleDifferences({ file, cases }: Comparison): string[] {
  const names = new Set(cases.map(({ name }) => name))
  return [...knownDifferences(file).keys()].filter((name) => !names.has(name))
}

/** Runs one case's comparison. A listed case must fail it, every other must pass. */
export async function expectConformance(
  file: string,
  name: string,
  compare: () => void | Promise<void>,
): Promise<void> {
  if (!knownDifferences(file).has(name)) return await compare()
  let differs = false
  try {
    await compare()
  } catch {
    differs = true
  }
  if (!differs) throw new Error(`docs/conformance.md lists "${name}" of ${file}, but it conforms`)
}
