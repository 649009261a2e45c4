/**
 * The source tree as data: who imports whom, what is exported, how long each function is. Read as
 * text: the formatter keeps declarations and imports in one shape, so no parser is needed.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What ships. */
export const SHIPPED = ['agent', 'dashboard', 'functions', 'infra', 'local', 'shared']
export const rooms = [...SHIPPED, 'bench']

export interface Import {
  readonly from: string
  /** A repository path (`shared/kube/time.ts`) or a package name (`hono`). */
  readonly to: string
  /** `*` when the whole module is taken. */
  readonly names: readonly string[]
}

const texts = new Map<string, string>()

export function text(file: string): string {
  const known = texts.get(file) ?? readFileSync(file, 'utf8')
  texts.set(file, known)
  return known
}

const filesIn = (folders: readonly string[]) =>
  folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`)).sort()

export const sources = filesIn(rooms)
export const shippedSources = filesIn(SHIPPED)
export const testFiles = globSync('test/**/*.ts').sort()

export const lineCount = (file: string): number => text(file).split('\n').length - 1

const STATIC = /(?:^|\n)(?:import|export)\s+(?:type\s+)?([^'"()]*?)\s*from\s*'([^']+)'/g
const BARE = /(?:^|\n)import\s*'([^']+)'/g
/** `const { a, b } = await import('x')` names what it takes; any other form takes everything. */
const DYNAMIC =
  /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*'([^']+)'\s*\)(?:\.then\(\(\{([^{}]*)\}\))?(?:\)\.(\w+))?/g

export function importsOf(file: string): readonly Import[] {
  const source = text(file)
  const found: Import[] = []
  const add = (to: string, names: readonly string[]) =>
    found.push({ from: file, to: resolved(file, to), names })
  for (const [, clause = '', to = ''] of source.matchAll(STATIC)) add(to, namesIn(clause))
  for (const [, to = ''] of source.matchAll(BARE)) add(to, [])
  for (const [, named, to = '', then, member] of source.matchAll(DYNAMIC)) {
    const clause = named ?? then
    add(to, clause === undefined ? [member ?? '*'] : namesIn(`{${clause}}`))
  }
  return found
}

function resolved(file: string, to: string): string {
  return to.startsWith('.') ? normalize(join(dirname(file), to)) : to
}

function namesIn(clause: string): readonly string[] {
  if (clause.includes('*')) return ['*']
  const inBraces = /\{([\s\S]*)\}/.exec(clause)?.[1]
  if (inBraces === undefined) return ['default']
  const names = inBraces.split(',').map((each) => each.trim().replace(/^type\s+/, ''))
  return names.filter(Boolean).map((each) => each.split(/\s+as\s+|\s*:\s*/)[0]!)
}

const EXPORT =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm

export const exportsOf = (file: string): readonly string[] =>
  [...text(file).matchAll(EXPORT)].map(([, name = '']) => name)

const isOurs = (path: string) => rooms.some((room) => path.startsWith(`${room}/`))

/** Groups of files that import each other, type imports counted; each group once. */
export function importCycles(files = sources): readonly (readonly string[])[] {
  const edges = new Map(
    files.map((file) => [file, importsOf(file).flatMap(({ to }) => (isOurs(to) ? [to] : []))]),
  )
  return stronglyConnected(edges).filter((group) => group.length > 1)
}

/** Tarjan's algorithm. */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const groups: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.get(file)!)
    stack.push(file)
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) {
        lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!))
      }
    }
    if (lowest.get(file) !== order.get(file)) return
    groups.push(stack.splice(stack.indexOf(file)).sort())
  }
  for (const file of edges.keys()) if (!order.has(file)) visit(file)
  return groups
}

interface Use {
  readonly source: boolean
  readonly test: boolean
}

/** `file#name` -> whether sources and tests import it. */
function uses(): ReadonlyMap<string, Use> {
  const found = new Map<string, { source: boolean; test: boolean }>()
  for (const file of [...sources, ...testFiles]) {
    const kind = file.startsWith('test/') ? 'test' : 'source'
    for (const { to, names } of importsOf(file)) {
      for (const name of names) {
        const use = found.get(`${to}#${name}`) ?? { source: false, test: false }
        use[kind] = true
        found.set(`${to}#${name}`, use)
      }
    }
  }
  return found
}

/** What a program outside the tree calls by name. */
const CALLED_FROM_OUTSIDE = new Set(['handler'])

export interface IdleExport {
  readonly file: string
  readonly name: string
  readonly why: 'no file imports it' | 'only tests keep it alive'
}

/**
 * Exports without a user. An export that a test imports and its own file uses ships, so it counts
 * as used.
 */
export function idleExports(): readonly IdleExport[] {
  const used = uses()
  const idle: IdleExport[] = []
  for (const file of sources) {
    if (used.get(`${file}#*`)?.source) continue
    for (const name of exportsOf(file)) {
      if (CALLED_FROM_OUTSIDE.has(name)) continue
      const use = used.get(`${file}#${name}`)
      if (use?.source) continue
      const isTested = use?.test || used.get(`${file}#*`)?.test
      if (!isTested) idle.push({ file, name, why: 'no file imports it' })
      else if (!isUsedAtHome(file, name)) idle.push({ file, name, why: 'only tests keep it alive' })
    }
  }
  return idle
}

function isUsedAtHome(file: string, name: string): boolean {
  const code = text(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  return [...code.matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g'))].length > 1
}

/** Names that two or more files export, with those files. */
export function doubleExports(): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const file of shippedSources) {
    for (const name of new Set(exportsOf(file))) {
      if (CALLED_FROM_OUTSIDE.has(name)) continue
      byName.set(name, [...(byName.get(name) ?? []), file])
    }
  }
  return new Map([...byName].filter(([, files]) => files.length > 1))
}

/** Small files that exist for a single reader. */
export function smallFilesWithOneImporter(maxLines: number): readonly string[] {
  const importers = new Map<string, Set<string>>()
  for (const file of sources) {
    for (const { to } of importsOf(file)) {
      importers.set(to, (importers.get(to) ?? new Set()).add(file))
    }
  }
  return shippedSources.filter(
    (file) => importers.get(file)?.size === 1 && lineCount(file) <= maxLines,
  )
}

export interface LongFunction {
  readonly file: string
  readonly line: number
  readonly lines: number
}

const OPENS_FUNCTION = /(=>|\)(?:: [^=]+)?) \{$/
const NO_FUNCTION = /^\s*(?:\} else )?(?:if|for|while|switch|else|catch|try|do|with)\b|\} catch/

/** Functions longer than the wall, from their first line to their closing brace. */
export function longFunctions(file: string, maxLines: number): readonly LongFunction[] {
  const lines = text(file).split('\n')
  const indentOf = (line: string) => line.length - line.trimStart().length
  const long: LongFunction[] = []
  lines.forEach((line, at) => {
    if (!OPENS_FUNCTION.test(line) || NO_FUNCTION.test(line)) return
    const indent = indentOf(line)
    let start = at
    // A signature over several lines begins at the line above with the same indentation.
    if (/^\s*\)/.test(line)) {
      do start--
      while (start > 0 && (lines[start] === '' || indentOf(lines[start]!) > indent))
    }
    const end = lines.findIndex((each, i) => i > at && each !== '' && indentOf(each) <= indent)
    const length = end - start + 1
    if (length > maxLines) long.push({ file, line: start + 1, lines: length })
  })
  return long
}

/** Tests below a room whose path names no source: `x.test.ts` and `x.aspect.test.ts` mirror x. */
export function testsWithoutSource(): readonly string[] {
  const tests = testFiles.filter((file) => /^test\/[\w-]+\/.*\.test\.ts$/.test(file))
  return tests.filter((file) => {
    const path = file.slice('test/'.length)
    if (!isOurs(path)) return false
    const stem = path.replace(/(\.[\w-]+)?\.test\.ts$/, '')
    const names = [stem, path.replace(/\.test\.ts$/, '')]
    return !names.some((name) => sources.includes(`${name}.ts`) || sources.includes(`${name}.tsx`))
  })
}

/** Lines of TypeScript per room. */
export const roomLines = (room: string): number =>
  shippedSources
    .filter((file) => file.startsWith(`${room}/`))
    .reduce((sum, file) => sum + lineCount(file), 0)
