/** A source as a tree of JavaScript syntax, at the positions that it has in the TypeScript file. */
import { stripTypeScriptTypes } from 'node:module'
import { parseAst } from 'vite'

/** A node of the tree, as ESTree names its members; each kind has some of them. */
export interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export interface Source {
  readonly file: string
  /** The types are blanks, so every position is that of the file. */
  readonly code: string
  readonly program: Syntax
}

export function parseSource(file: string, text: string): Source {
  const code = stripTypeScriptTypes(text)
  return { file, code, program: parseAst(code) as unknown as Syntax }
}

export const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string'

/** The nodes directly below, in the order of the text. */
export function childrenOf(syntax: Syntax): readonly Syntax[] {
  const below = Object.values(syntax).flat().filter(isSyntax)
  return below.sort((one, other) => one.start - other.start)
}
