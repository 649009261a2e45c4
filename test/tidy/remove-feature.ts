/**
 * Removes a feature from a copy of the project: its paths, and the lines of its lists that mention
 * what was imported from them. Refuses where anything else imports the feature.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { Feature } from './features.ts'

const trackedFiles = (): readonly string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file))

const isBelow = (file: string, path: string) => file === path || file.startsWith(`${path}/`)

export const isPartOf = ({ paths }: Feature, file: string): boolean =>
  paths.some((path) => isBelow(file, path))

/** Copies the project without the feature; the copy shares the packages. */
export function copyWithout(feature: Feature, folder: string): void {
  const files = trackedFiles()
  for (const path of feature.paths) {
    if (!files.some((file) => isBelow(file, path))) throw new Error(`${path} does not exist`)
  }
  for (const file of files) {
    if (isPartOf(feature, file)) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(file, join(folder, file))
  }
  for (const file of files) {
    if (!/\.tsx?$/.test(file) || isPartOf(feature, file)) continue
    const text = readFileSync(file, 'utf8')
    const without = withoutMentions(text, file, feature)
    if (without !== text) writeFileSync(join(folder, file), without)
  }
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
}

const IMPORT = /^import (?:type )?\{([^}]*)\} from '([^']+)'\n/gm
/** An element of a list that is loaded when it is used. */
const LOADED = /^.*import\('([^']+)'\).*\n/gm

function withoutMentions(text: string, file: string, feature: Feature): string {
  const isFeature = (to: string) => isPartOf(feature, normalize(join(dirname(file), to)))
  const names: string[] = []
  let result = text.replaceAll(IMPORT, (whole, clause: string, to: string) => {
    if (!to.startsWith('.') || !isFeature(to)) return whole
    if (!feature.lists.includes(file)) throw new Error(`${file} imports ${feature.name}: ${to}`)
    names.push(...clause.split(',').flatMap((each) => localName(each) ?? []))
    return ''
  })
  result = result.replaceAll(LOADED, (whole, to: string) => {
    if (!isFeature(to)) return whole
    if (!feature.lists.includes(file)) throw new Error(`${file} loads ${feature.name}: ${to}`)
    return ''
  })
  for (const name of names) result = withoutElement(result, name, file)
  return result
}

/** `type A as B` is used as B. */
const localName = (clause: string): string | undefined => clause.trim().split(/\s+/).at(-1)

/** An element of a list, on a line of its own or between others. */
function withoutElement(text: string, name: string, file: string): string {
  const word = `(?:\\.\\.\\.)?\\b${name}\\b(?:\\([^()\\n]*\\))?`
  const without = text
    .replaceAll(new RegExp(`^ *[&|]? *${word},?\\n`, 'gm'), '')
    .replaceAll(new RegExp(`(?: [&|] |, )${word}(?=[\\s,;)\\]}&|]|$)`, 'gm'), '')
    .replaceAll(new RegExp(`(?<=[\\s([{])${word}(?: [&|] |, )`, 'gm'), '')
  if (
    new RegExp(`(?<![\\w.'-])${name}\\b`).test(without.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))
  ) {
    throw new Error(`${file} mentions ${name} outside of a list`)
  }
  return without
}
