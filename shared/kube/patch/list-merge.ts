/** How a patch merges two lists: element by element by a merge key, or as sets of plain values. */
import { isObject } from '../json.ts'
import { badRequest } from '../status-error.ts'
import { directiveOf } from './directives.ts'

type Members = Record<string, unknown>

interface KeyedMerge {
  readonly mergeKey: string
  readonly directives: boolean
  merge(original: Members, patch: Members): Members
}

export function mergeKeyed(
  original: readonly unknown[],
  patch: readonly unknown[],
  how: KeyedMerge,
): unknown[] {
  const { additions, deletions, isReplaced } = splitPatch(patch, how)
  if (isReplaced) return additions.map((element) => how.merge({}, element))

  const merged = original.filter((element) => !deletions.has(keyIn(element, how.mergeKey)))
  const places = firstPlaces(merged, (element) => keyIn(element, how.mergeKey))
  for (const element of additions) {
    const key = requiredKey(element, how.mergeKey)
    const place = places.get(key)
    if (place !== undefined) merged[place] = how.merge(merged[place] as Members, element)
    else places.set(key, merged.push(how.merge({}, element)) - 1)
  }
  return merged
}

interface PatchElements {
  readonly additions: Members[]
  readonly deletions: Set<unknown>
  isReplaced: boolean
}

function splitPatch(patch: readonly unknown[], how: KeyedMerge): PatchElements {
  const split: PatchElements = { additions: [], deletions: new Set(), isReplaced: false }
  for (const element of patch) {
    if (!isObject(element)) {
      throw badRequest(`elements of a list merged by ${how.mergeKey} must be objects`)
    }
    const directive = how.directives ? directiveOf(element) : undefined
    // The element with `replace` is no addition itself; it may stand anywhere in the list.
    if (directive === 'replace') split.isReplaced = true
    else if (directive === 'delete') split.deletions.add(requiredKey(element, how.mergeKey))
    else split.additions.push(element)
  }
  return split
}

function keyIn(element: unknown, mergeKey: string): unknown {
  return isObject(element) && Object.hasOwn(element, mergeKey) ? element[mergeKey] : undefined
}

function requiredKey(element: Members, mergeKey: string): string | number {
  const key = keyIn(element, mergeKey)
  if (typeof key === 'string' || typeof key === 'number') return key
  throw badRequest(`an element of a list merged by ${mergeKey} does not have its ${mergeKey}`)
}

/** Keys need not be unique (two addresses of one type): the first element that has it counts. */
function firstPlaces(
  list: readonly unknown[],
  keyOf: (element: unknown) => unknown,
): Map<unknown, number> {
  const places = new Map<unknown, number>()
  list.forEach((element, index) => {
    const key = keyOf(element)
    if (key !== undefined && !places.has(key)) places.set(key, index)
  })
  return places
}

export function mergeSet(original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  return [...new Set([...original, ...patch.filter((element) => element !== null)])]
}

interface Ordering {
  readonly order: readonly unknown[]
  /** The list as it was before the patch. */
  readonly before: readonly unknown[]
  /** Absent for lists of plain values. */
  readonly mergeKey?: string | undefined
}

/**
 * Elements named by the patch are put in its order. Others, unknown to the client, stay before the
 * elements they preceded; where that decides nothing, the client's come first.
 */
export function orderElements(list: readonly unknown[], ordering: Ordering): unknown[] {
  const { mergeKey } = ordering
  const keyOf = (element: unknown) => (mergeKey === undefined ? element : keyIn(element, mergeKey))
  const ranks = firstPlaces(ordering.order, keyOf)
  const rank = (element: unknown) => ranks.get(keyOf(element))
  const named = list.filter((element) => rank(element) !== undefined)
  named.sort((a, b) => rank(a)! - rank(b)!)
  const others = list.filter((element) => rank(element) === undefined)

  const places = firstPlaces(ordering.before, keyOf)
  const wasBefore = (a: unknown, b: unknown) =>
    (places.get(keyOf(a)) ?? Number.POSITIVE_INFINITY) < (places.get(keyOf(b)) ?? -1)
  return interleave(others, named, wasBefore)
}

function interleave(
  others: readonly unknown[],
  named: readonly unknown[],
  wasBefore: (other: unknown, named: unknown) => boolean,
): unknown[] {
  const ordered: unknown[] = []
  let next = 0
  for (const element of named) {
    while (next < others.length && wasBefore(others[next], element)) ordered.push(others[next++])
    ordered.push(element)
  }
  return [...ordered, ...others.slice(next)]
}
