/**
 * Where we differ from the vectors on purpose: `docs/conformance.md` lists it, one section per
 * vector file. A suite fails when the page and the behaviour disagree in either direction.
 */
import { readFileSync } from 'node:fs'

const PAGE = new URL('../docs/conformance.md', import.meta.url)

/** From the section that is about the file, a row per difference. A file without one has none. */
function knownDifferences(file: string): readonly Difference[] {
  const page = readFileSync(PAGE, 'utf8')
  const section = page.split(/^## /m).find((part) => headingOf(part).includes(file))
  const rows = (section ?? '').split('\n').filter((line) => line.startsWith('|'))
  // The first two lines of a table are its head.
  return rows.slice(2).map(rowOf)
}

/** `## <file>`, or `## <file> and <file>`. */
const headingOf = (section: string): readonly string[] =>
  section.split('\n', 1)[0]!.trim().split(' and ')

interface Difference {
  readonly row: string
  isAbout(caseName: string): boolean
}

/** `csr: …` is about every case that begins so: a class of cases is one difference. */
function rowOf(line: string): Difference {
  const [, row = '', reason = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  if (row === '' || reason === '') throw new Error(`docs/conformance.md: incomplete row ${line}`)
  const parts = row.replaceAll('\\|', '|').split('…')
  const pattern = new RegExp(`^${parts.map(literally).join('.*')}$`, 's')
  return { row, isAbout: (caseName) => pattern.test(caseName) }
}

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

export const isKnownDifference = (file: string, caseName: string): boolean =>
  knownDifferences(file).some(({ isAbout }) => isAbout(caseName))

/** From the section `Not here`: the classes of a file's cases that are not played, and how many. */
export function notHere(file: string): readonly { kinds: readonly string[]; cases: number }[] {
  const section = readFileSync(PAGE, 'utf8').split(/^## Not here$/m)[1] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith(`| ${file} |`))
  return rows.map((line) => {
    const [, , kinds = '', cases = ''] = line.split('|').map((cell) => cell.trim())
    return { kinds: kinds.split(', '), cases: Number(cases) }
  })
}

interface Given {
  readonly kind?: string
  readonly limiter?: { readonly kind: string }
}

/** True for a case of a class that the page says is not played. */
export function isNotHere(file: string, given: unknown): boolean {
  const { kind = undefined } = { ...(given as Given).limiter, ...(given as Given) }
  return kind !== undefined && notHere(file).some(({ kinds }) => kinds.includes(kind))
}

export interface Comparison {
  readonly file: string
  readonly cases: readonly { readonly name: string }[]
}

/** Rows on the page that are about no case: the page must shrink with the vectors. */
export function staleDifferences({ file, cases }: Comparison): string[] {
  return knownDifferences(file)
    .filter(({ isAbout }) => !cases.some(({ name }) => isAbout(name)))
    .map(({ row }) => row)
}

/** Runs one case's comparison. A listed case must fail it, every other must pass. */
export async function expectConformance(
  file: string,
  name: string,
  compare: () => void | Promise<void>,
): Promise<void> {
  if (!isKnownDifference(file, name)) return await compare()
  let differs = false
  try {
    await compare()
  } catch {
    differs = true
  }
  if (!differs) throw new Error(`docs/conformance.md lists "${name}" of ${file}, but it conforms`)
}
