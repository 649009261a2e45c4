/** The list in docs/compatibility.md of what Kubernetes' own tests say. */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Spec {
  readonly name: string
  readonly isPassed: boolean
  /** Why it cannot pass here. */
  readonly why?: string
}

const PAGE = new URL('../../../docs/compatibility.md', import.meta.url)
const BEGIN = '<!-- written by RECORD=1 npm run test:clients -- e2e -->'
const END = '<!-- end of the specs -->'

export function writeSpecs(
  version: string,
  specs: readonly Spec[],
  leftOut: readonly (readonly [string, string])[],
): void {
  const passed = specs.filter(({ isPassed }) => isPassed)
  const failed = specs.filter(({ isPassed }) => !isPassed)
  const text = [
    `Kubernetes ${version}: ${passed.length} of ${specs.length} specs pass.`,
    '',
    ...['| spec that passes |', '|---|', ...passed.map(({ name }) => `| ${cell(name)} |`)],
    '',
    ...['| spec that cannot | why |', '|---|---|'],
    ...failed.map(({ name, why }) => `| ${cell(name)} | ${why} |`),
    '',
    ...['| not run: specs with this in their name | why |', '|---|---|'],
    ...leftOut.map(([part, why]) => `| ${part} | ${why} |`),
  ].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const before = page.slice(0, page.indexOf(BEGIN) + BEGIN.length)
  writeFileSync(PAGE, `${before}\n${text}\n${page.slice(page.indexOf(END))}`)
}

const cell = (name: string) => name.replaceAll('|', String.raw`\|`)
