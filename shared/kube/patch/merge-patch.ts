/**
 * RFC 7386: members replace members, objects are merged, null removes, lists are replaced whole.
 */
import { isObject, setOwn } from '../json.ts'

export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = isObject(document) ? { ...document } : {}
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) delete merged[key]
    else {
      const before = Object.hasOwn(merged, key) ? merged[key] : undefined
      setOwn(merged, key, applyMergePatch(before, patch[key]))
    }
  }
  return merged
}
