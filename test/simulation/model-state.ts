/**
 * When are two moments the same? When nothing that is decided from them can differ: times count as
 * ages, up to where they no longer matter; versions, names and the order of equals do not.
 */
import type { Node, Pod } from '../../shared/kube/objects.ts'
import type { FleetRecord, ZoneRecord } from '../../shared/lifecycle/world.ts'
import type { LeaseState } from '../../shared/store/lease-state.ts'
import type { Moment } from './model-world.ts'
import { recordOf, zoneOf } from './truth.ts'

/** Older than this is old: every clock of this world has run out by then. */
const OLD_MS = 60_000

export interface Form {
  /** The same for all moments that are the same. */
  readonly key: string
  /** One host of each kind: what one does, its equals do too. */
  readonly kinds: readonly string[]
}

export function formOf({ nowMs, memory }: Moment): Form {
  const age = (atMs: number | undefined) =>
    atMs === undefined || Number.isNaN(atMs) ? '-' : String(Math.min(OLD_MS, nowMs - atMs))
  const pods = podsByNode(memory, age)
  const zones = new Map<string, string[]>()
  const kinds = new Map<string, string>()
  for (const { lean } of memory.objects.get('nodes')?.states.values() ?? []) {
    const node = lean.object as Node
    const { name } = lean.key
    const lease = memory.leases.get(`kube-node-lease/${name}`)
    const text = [
      nodeText(node, age),
      leaseText(lease, age),
      age(lean.receivedAtMs),
      pods.get(name),
    ]
    const zone = zoneOf(node)
    zones.set(zone, [...(zones.get(zone) ?? []), text.join(' ')])
    kinds.set(`${zoneText(memory, zone, age)}|${text.join(' ')}`, name)
  }
  const parts = [...zones].map(
    ([zone, nodes]) => `${zoneText(memory, zone, age)}{${nodes.sort().join(';')}}`,
  )
  const fleet = memory.objects.get('fleets')?.states.get('/fleet')?.lean
  const record = recordOf({ ...(fleet && { after: fleet }) }) as FleetRecord | undefined
  const key = `${fleetText(record, age)}${parts.sort().join('')}`
  return { key, kinds: [...kinds.values()] }
}

type Age = (atMs: number | undefined) => string

const timeAge = (age: Age, text: string | null | undefined) => age(Date.parse(text ?? ''))

function nodeText({ spec, status }: Node, age: Age): string {
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => type === 'Ready')
    .map((one) => `${one.status}${one.reason ?? ''}${timeAge(age, one.lastTransitionTime)}`)
  const taints = (spec?.taints ?? []).map(
    ({ key, effect, timeAdded }) => `${key}${effect}${timeAge(age, timeAdded)}`,
  )
  return `${conditions.join()}/${taints.sort().join()}`
}

const leaseText = (lease: LeaseState | undefined, age: Age) =>
  `${age(lease?.receivedAtMs)}/${age(lease?.declaredAtMs)}`

function podsByNode({ objects }: Moment['memory'], age: Age): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { lean } of objects.get('pods')?.states.values() ?? []) {
    const { metadata, spec, status } = lean.object as Pod
    const conditions = (status?.conditions ?? []).map(({ type, status: is }) => `${type}${is}`)
    const at = metadata.annotations?.['leasehold.dev/evict-at']
    const text = `${timeAge(age, at)}${metadata.deletionTimestamp ? 'ends' : ''}${conditions.join()}`
    texts.set(spec?.nodeName ?? '', text)
  }
  return texts
}

function zoneText({ objects }: Moment['memory'], zone: string, age: Age): string {
  const after = objects.get('zones')?.states.get(`/${zone}`)?.lean
  const record = recordOf({ ...(after && { after }) }) as ZoneRecord | undefined
  if (!record) return '-'
  const { state, limiter, size, notReady, held } = record
  const bucket = `${limiter.rate}/${limiter.tokens}/${age(limiter.refilledAtMs)}`
  return `${state}${bucket}/${size}/${notReady}/${held.join()}`
}

const fleetText = (fleet: FleetRecord | undefined, age: Age) =>
  fleet ? `${fleet.disruption}${age(fleet.floorMs)}/${age(fleet.greetedThroughMs)}` : '-'
