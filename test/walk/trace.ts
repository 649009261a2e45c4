/**
 * Which files does a piece of work really execute, and in which order? Loaded with `--import`, this
 * puts a call at the start of every function of the shipped sources. `traced` notes the first call
 * in each file within the async context of one piece of work.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { SHIPPED } from '../tidy/source-graph.ts'

const context = new AsyncLocalStorage<Set<string>>()

Object.assign(globalThis, { __traceCall: (file: string) => void context.getStore()?.add(file) })

/** Runs the work and returns the files it executed, in the order of their first call. */
export async function traced<T>(files: Set<string>, work: () => Promise<T>): Promise<T> {
  return await context.run(files, work)
}

interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly body?: Syntax | readonly Syntax[]
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function functionsIn(syntax: unknown, found: Syntax[] = []): readonly Syntax[] {
  if (Array.isArray(syntax)) for (const each of syntax) functionsIn(each, found)
  else if (typeof syntax === 'object' && syntax !== null) {
    if (FUNCTIONS.has((syntax as Syntax).type)) found.push(syntax as Syntax)
    for (const member of Object.values(syntax)) functionsIn(member, found)
  }
  return found
}

/** `{ ...` becomes `{ call(); ...` and `=> value` becomes `=> (call(), value)`. */
function withCalls(code: string, file: string): string {
  const call = `__traceCall(${JSON.stringify(file)})`
  const inserts: { readonly at: number; readonly text: string }[] = []
  for (const { body } of functionsIn(parseAst(code))) {
    const { type, start, end } = body as Syntax
    if (type === 'BlockStatement') inserts.push({ at: start + 1, text: `${call};` })
    else inserts.push({ at: start, text: `(${call},` }, { at: end, text: ')' })
  }
  let result = code
  for (const { at, text } of inserts.sort((a, b) => b.at - a.at)) {
    result = result.slice(0, at) + text + result.slice(at)
  }
  return result
}

registerHooks({
  load(url, loading, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, loading)
    const path = fileURLToPath(url)
    const file = relative(process.cwd(), path)
    if (!SHIPPED.some((room) => file.startsWith(`${room}/`))) return next(url, loading)
    const code = stripTypeScriptTypes(readFileSync(path, 'utf8'))
    return { format: 'module', source: withCalls(code, file), shortCircuit: true }
  },
})
