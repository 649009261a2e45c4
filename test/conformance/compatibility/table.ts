/**
 * The table of docs/compatibility.md: resources down, verbs across, in each cell the clients that
 * passed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Verb } from '../../../shared/kube/resource.ts'

const PAGE = new URL('../../../docs/compatibility.md', import.meta.url)
const BEGIN = '<!-- written by test/conformance/compatibility.test.ts -->'
const END = '<!-- end -->'

export const VERBS: readonly Verb[] = [
  'create',
  'get',
  'list',
  'watch',
  'update',
  'patch',
  'delete',
  'deletecollection',
]

export interface Row {
  /** `nodes`, `nodes/status` */
  readonly what: string
  /** Letters of the clients that passed; a verb that is not served is absent. */
  readonly cells: ReadonlyMap<Verb, string>
}

export function tableText(rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const body = rows.map(({ what, cells }) =>
    line([`\`${what}\``, ...VERBS.map((verb) => cells.get(verb) ?? '')]),
  )
  return [line(['resource', ...VERBS]), line(VERBS.map(() => '---').concat('---')), ...body].join(
    '\n',
  )
}

export function tableOnPage(): string {
  const page = readFileSync(PAGE, 'utf8')
  return page.slice(page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)).trim()
}

export function writeTable(text: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const before = page.slice(0, page.indexOf(BEGIN) + BEGIN.length)
  writeFileSync(PAGE, `${before}\n${text}\n${page.slice(page.indexOf(END))}`)
}
