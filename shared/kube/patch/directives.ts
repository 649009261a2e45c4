/** The `$` members of a strategic merge patch: what they are called and what they may say. */
import { badRequest } from '../status-error.ts'

export const ORDER = '$setElementOrder/'
export const DELETIONS = '$deleteFromPrimitiveList/'
export const RETAIN = '$retainKeys'

type Members = Readonly<Record<string, unknown>>

export function isDirective(key: string): boolean {
  if (!key.startsWith('$')) return false
  return key === '$patch' || key === RETAIN || key.startsWith(ORDER) || key.startsWith(DELETIONS)
}

/** What `$patch` says of an object or of an element of a list, or undefined. */
export function directiveOf(patch: Members): 'replace' | 'delete' | 'merge' | undefined {
  if (!Object.hasOwn(patch, '$patch')) return undefined
  const directive = patch.$patch
  if (directive === 'replace' || directive === 'delete' || directive === 'merge') return directive
  throw badRequest('$patch must be replace, delete or merge')
}

/** The directives with this prefix, as pairs of the list they are about and what they hold. */
export function directivesFor(patch: Members, prefix: string): [string, readonly unknown[]][] {
  return Object.keys(patch)
    .filter((key) => key.startsWith(prefix))
    .map((key) => [key.slice(prefix.length), listIn(patch, key)])
}

export function listIn(patch: Members, directive: string): readonly unknown[] {
  const list = patch[directive]
  if (Array.isArray(list)) return list
  throw badRequest(`${directive.slice(0, 64)} must be a list`)
}
