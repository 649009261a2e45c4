/** 5. Every transition is announced at least once and recorded exactly once. */
import type { KubeObject, Node, Pod } from '../../../shared/kube/objects.ts'
import { domainEvents } from '../../../shared/lifecycle/events/domain-events.ts'
import type { Known } from '../../../shared/lifecycle/world.ts'
import type { ObjectChange } from '../observed-store.ts'
import { readyOf } from '../truth.ts'
import { Broken, type Invariant } from './invariant.ts'

/** The events of each write, against what the write itself changed. */
export function transitionsAreAnnounced(): Invariant {
  const ids = new Set<string>()
  return {
    onWrite(_truth, { changes }) {
      for (const change of changes) {
        if (change.what !== 'object' || !TOLD.has(change.resource)) continue
        const told = tell(change)
        for (const { id } of told) {
          if (ids.has(id)) throw new Broken('5 news', `${id} is told of two changes`)
          ids.add(id)
        }
        checkTold(change, new Set(told.map((event) => event['detail-type'])))
      }
    },
  }
}

const TOLD = new Set(['nodes', 'pods', 'zones', 'fleets'])

function tell({ resource, id, before, after }: ObjectChange) {
  const ends = { ...(before && { before }), ...(after && { after }) } as {
    before?: Known<KubeObject>
    after?: Known<KubeObject>
  }
  try {
    return domainEvents({ kind: 'object', ...ends }, 'simulation')
  } catch (error) {
    throw new Broken('5 news', `${resource}${id} cannot be told: ${String(error)}`)
  }
}

function checkTold({ resource, id, before, after }: ObjectChange, told: ReadonlySet<string>): void {
  for (const [type, happened] of NEWS[resource] ?? []) {
    if (happened(before?.object, after?.object) === told.has(type)) continue
    const what = told.has(type) ? 'is told and did not happen' : 'happened and is not told'
    throw new Broken('5 news', `${type} of ${resource}${id} ${what}`)
  }
}

type Happened = (before: KubeObject | undefined, after: KubeObject | undefined) => boolean

const readyOfAny = (object: KubeObject | undefined) => object && readyOf(object as Node)?.status
const becomes = (status: string): Happened => {
  return (before, after) =>
    !!before && readyOfAny(after) === status && readyOfAny(before) !== status
}
/** Why it must go against its will: by a taint, or because its node is gone. */
const doomOf = (object: KubeObject | undefined) =>
  (object as Pod | undefined)?.status?.conditions?.find(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  )?.reason
const taintsOf = (object: KubeObject) =>
  ((object as Node).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
const added = (before: KubeObject, after: KubeObject) => {
  const had = taintsOf(before)
  return taintsOf(after).some((taint) => !had.includes(taint))
}
const statusOf = (object: KubeObject | undefined) =>
  (object as { status?: { state?: string; record?: { disruption?: string; blind?: Span[] } } })
    ?.status
type Span = { readonly untilMs?: number }
const isDisrupted = (object: KubeObject | undefined) =>
  (statusOf(object)?.record?.disruption ?? 'none') !== 'none'
const isBlind = (object: KubeObject | undefined) => {
  const last = statusOf(object)?.record?.blind?.at(-1)
  return last !== undefined && last.untilMs === undefined
}

const NEWS: Readonly<Record<string, readonly (readonly [string, Happened])[]>> = {
  nodes: [
    ['NodeRegistered', (before, after) => !before && !!after],
    ['NodeDeleted', (before, after) => !!before && !after],
    ['NodeUnreachable', becomes('Unknown')],
    ['NodeReady', becomes('True')],
    ['NodeTainted', (before, after) => !!before && !!after && added(before, after)],
    ['NodeUntainted', (before, after) => !!before && !!after && added(after, before)],
  ],
  pods: [['PodEvicted', (before, after) => !!doomOf(after) && doomOf(after) !== doomOf(before)]],
  zones: [
    [
      'ZoneStateChanged',
      (before, after) =>
        !!after && (statusOf(after)?.state ?? 'Initial') !== (statusOf(before)?.state ?? 'Initial'),
    ],
  ],
  fleets: [
    ['FleetDisruptionEntered', (before, after) => !isDisrupted(before) && isDisrupted(after)],
    [
      'FleetDisruptionLeft',
      (before, after) => isDisrupted(before) && !!after && !isDisrupted(after),
    ],
    ['BlindEntered', (before, after) => !isBlind(before) && isBlind(after)],
    ['BlindLeft', (before, after) => isBlind(before) && !!after && !isBlind(after)],
  ],
}
