/**
 * What does the monitor keep of a pod? Only what it judges: a host that reports large pods must not
 * fill the memory of the process that judges all hosts. What it decides on such a pod is carried over
 * to the pod as it is stored when it is written.
 */
import { deepEqual, isObject } from '../../kube/json.ts'
import type { ObjectMeta, Pod } from '../../kube/objects.ts'
import { applyMergePatch } from '../../kube/patch/apply-patch.ts'
import { COUNTDOWN_KEYS } from './countdown.ts'

export function judgedPod({ metadata, spec, status }: Pod): Pod {
  return {
    metadata: judgedMetadata(metadata),
    ...(spec && { spec: present(spec, SPEC) }),
    ...(status && { status: present(status, STATUS) }),
  } as Pod
}

const METADATA = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'finalizers',
] as const
const SPEC = ['nodeName', 'tolerations', 'terminationGracePeriodSeconds'] as const
const STATUS = ['phase', 'reason', 'conditions', 'observedGeneration'] as const

function judgedMetadata(metadata: ObjectMeta): ObjectMeta {
  const annotations = present(metadata.annotations ?? {}, COUNTDOWN_KEYS)
  const isCounting = Object.keys(annotations).length > 0
  return { ...present(metadata, METADATA), ...(isCounting && { annotations }) } as ObjectMeta
}

function present(object: object, keys: readonly string[]): Record<string, unknown> {
  const members = object as Readonly<Record<string, unknown>>
  const kept = keys.filter((key) => members[key] !== undefined)
  return Object.fromEntries(kept.map((key) => [key, members[key]]))
}

/** The stored pod with what was decided on its judged form; the two are of one version. */
export const carriedOver = (stored: Pod, judged: Pod, next: Pod): Pod =>
  applyMergePatch(stored, difference(judged, next)) as Pod

/** As a merge patch: lists are replaced, and those of the judged form are complete. */
function difference(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after
  const patch: Record<string, unknown> = {}
  for (const key of Object.keys(before)) {
    if (after[key] !== undefined) continue
    // Of a map the judged form has a part: only that part is removed.
    patch[key] = isObject(before[key]) ? difference(before[key], {}) : null
  }
  for (const key of Object.keys(after)) {
    if (after[key] === undefined || deepEqual(before[key], after[key])) continue
    patch[key] = difference(before[key], after[key])
  }
  return patch
}
