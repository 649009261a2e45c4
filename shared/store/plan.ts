/**
 * Which stored items does a list of steps touch? DynamoDB takes each item once and a hundred in
 * all.
 */
import { nodeLeaseNamespace } from './lease-state.ts'
import { imagesOf, keyText } from './object-state.ts'
import type { Step } from './ports.ts'

export const maxItems = 100

/** One step as it will be done; `index` is its place in what the caller gave. */
export interface Planned {
  readonly index: number
  readonly step: Step
  /** How often an inbox is raised, where several steps raise the same. */
  readonly times: number
}

/** Throws on what no adapter can do: that is a mistake of the caller, not a lost race. */
export function plan(steps: readonly Step[]): readonly Planned[] {
  const planned: Planned[] = []
  const touched = new Map<string, number>()
  for (const [index, step] of orderedForMerge(steps)) {
    const first = touched.get(itemsOf(step)[0]!)
    if (step.do === 'raiseInbox' && first !== undefined) {
      merge(planned, first)
      continue
    }
    for (const item of itemsOf(step)) {
      if (touched.has(item)) throw new Error(`two steps of one commit touch ${item}`)
      touched.set(item, planned.length)
    }
    planned.push({ index, step, times: 1 })
  }
  if (touched.size > maxItems)
    throw new Error(`a commit touches ${touched.size} items, at most ${maxItems} are possible`)
  return planned.sort((one, other) => one.index - other.index)
}

/** Raised inboxes last, so that they meet the step that drops the lease or raises it already. */
function orderedForMerge(steps: readonly Step[]): readonly (readonly [number, Step])[] {
  const entries = [...steps.entries()]
  const raises = entries.filter(([, step]) => step.do === 'raiseInbox')
  return raises.length === 0
    ? entries
    : [...entries.filter(([, step]) => step.do !== 'raiseInbox'), ...raises]
}

function merge(planned: Planned[], at: number): void {
  const first = planned[at]!
  if (first.step.do === 'dropLease') return
  if (first.step.do !== 'raiseInbox')
    throw new Error(`a commit raises an inbox and has ${first.step.do} on the same lease`)
  planned[at] = { ...first, times: first.times + 1 }
}

function itemsOf(step: Step): readonly string[] {
  switch (step.do) {
    case 'createObject': {
      const { name = '', namespace = '' } = step.object.metadata
      const images = imagesOf(step.resource, step.object) ? ['images'] : []
      return objectItems(step.resource, { namespace, name }, images)
    }
    case 'replaceObject': {
      const { resource, key, lean, imagesVersion } = step.believed
      const images = imagesOf(resource, step.object) || imagesVersion !== undefined
      return objectItems(resource, key, !lean && images ? ['images'] : [])
    }
    case 'deleteObject': {
      const { resource, key, imagesVersion } = step.believed
      const images = imagesVersion === undefined ? [] : ['images']
      return objectItems(resource, key, ['tombstone', ...images])
    }
    case 'confirmObject':
      return objectItems(step.believed.resource, step.believed.key, [])
    case 'confirmNoObject':
      return objectItems(step.resource, step.key, [])
    case 'declareSilent':
      return [`lease ${keyText(step.lease.key)}`]
    case 'dropLease':
      // Elsewhere a lease is a lock, and dropping it unseen would lose its fencing mark.
      if (step.key.namespace !== nodeLeaseNamespace)
        throw new Error(`dropLease is for ${nodeLeaseNamespace}, not for ${keyText(step.key)}`)
      return [`lease ${keyText(step.key)}`]
    case 'confirmNoLease':
      return [`lease ${keyText(step.key)}`]
    case 'raiseInbox':
    case 'setOwnGrace':
      return [`lease ${nodeLeaseNamespace}/${step.nodeName}`]
    default:
      return [`record ${step.name}`]
  }
}

function objectItems(
  resource: string,
  key: { readonly namespace: string; readonly name: string },
  beside: readonly string[],
): readonly string[] {
  const item = `${resource} ${keyText(key)}`
  return [item, ...beside.map((part) => `${part} of ${item}`)]
}
