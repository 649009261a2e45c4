/** Which items does a list of steps touch? A DynamoDB transaction takes each once, and a hundred in all. */
import { nodeLeaseNamespace } from './lease-state.ts'
import { imagesOf, keyText } from './object-state.ts'
import type { WriteStep } from './ports.ts'

export const maxItems = 100

/** `index` is the step's place in the list that the caller gave. */
export interface Planned {
  readonly index: number
  readonly step: WriteStep
  /** How often the inbox is raised: several steps that raise the same one are merged. */
  readonly times: number
}

/** Throws on what no adapter can write: that is a mistake in the caller, not a lost race. */
export function plan(steps: readonly WriteStep[]): readonly Planned[] {
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

/** `raiseInbox` last, so that it is merged with an earlier step on the same lease. */
function orderedForMerge(steps: readonly WriteStep[]): readonly (readonly [number, WriteStep])[] {
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

function itemsOf(step: WriteStep): readonly string[] {
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
      // Elsewhere a lease is a lock, and dropping it unread would lose its leaseTransitions.
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
  parts: readonly string[],
): readonly string[] {
  const item = `${resource} ${keyText(key)}`
  return [item, ...parts.map((part) => `${part} of ${item}`)]
}
