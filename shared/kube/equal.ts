/**
 * Do two wire objects say the same? An absent member equals an undefined one; the order of keys
 * says nothing.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && equalLists(a, b)
  }
  return equalMembers(a as Members, b as Members)
}

type Members = Readonly<Record<string, unknown>>

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, index) => deepEqual(element, b[index]))
}

function equalMembers(a: Members, b: Members): boolean {
  const keys = Object.keys(a)
  for (const key of keys) {
    // Own members only: `constructor` is not a member that every object has.
    const other = Object.hasOwn(b, key) ? b[key] : undefined
    if (!deepEqual(a[key], other)) return false
  }
  return Object.keys(b).every((key) => Object.hasOwn(a, key) || b[key] === undefined)
}
