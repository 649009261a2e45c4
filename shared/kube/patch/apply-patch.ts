/**
 * What does the object look like after the patch? A new document; the old one and the patch stay as
 * they are.
 */
import { isObject, MAX_DEPTH, setOwn, tooDeep } from '../json.ts'
import type { ObjectSchema } from '../schema.ts'
import { applyJsonPatch, nestsDeeperThan } from './json-patch.ts'
import type { Patch } from './parse-patch.ts'
import { applyForced, applyStrategicMerge } from './strategic-merge.ts'

interface PatchRequest extends Patch {
  readonly document: unknown
  readonly schema: ObjectSchema
}

export function applyPatch(request: PatchRequest): unknown {
  if (nestsDeeperThan(request.patch, MAX_DEPTH)) throw tooDeep()
  const patched = applyByType(request)
  if (nestsDeeperThan(patched, MAX_DEPTH)) throw tooDeep()
  return patched
}

function applyByType({ type, document, patch, schema }: PatchRequest): unknown {
  switch (type) {
    case 'json':
      return applyJsonPatch(document, patch)
    case 'merge':
      return applyMergePatch(document, patch)
    case 'strategic':
      return applyStrategicMerge(document, patch, schema)
    case 'apply':
      return applyForced(document, patch, schema)
  }
}

/** RFC 7386: members replace members, objects are merged, null removes, lists are replaced. */
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
