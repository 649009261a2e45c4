/** The world as an explanation needs it, read from the store as the monitor reads it for a tick. */
import type { Fleet } from '../../../shared/kube/fleet/resource.ts'
import type { Zone } from '../../../shared/kube/zone/resource.ts'
import { type Explainer, explainer } from '../../../shared/lifecycle/explain/explain.ts'
import {
  latestRefusals,
  openInterval,
  type Visibility,
} from '../../../shared/lifecycle/liveness/visibility.ts'
import { REFUSED_BEATS_PREFIX, type RefusedBeats } from '../../../shared/lifecycle/record-names.ts'
import { defaultSettings, type Settings } from '../../../shared/lifecycle/settings.ts'
import type {
  Beat,
  FleetRecord,
  KnownNode,
  KnownPod,
  World,
  ZoneRecord,
} from '../../../shared/lifecycle/world.ts'
import { zoneKeyOf } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { Store, StoredObject } from '../../../shared/store/ports.ts'

/** Which pods are read: those of one node, or all. */
type PodsOf = { readonly node: string } | 'all'

export async function readExplainer(store: Store, pods: PodsOf, nowMs: number): Promise<Explainer> {
  const [nodes, beats, zones, fleet, podList, refused] = await Promise.all([
    store.objects.list('nodes', { depth: 'lean' }),
    readBeats(store),
    store.objects.list('zones', {}),
    store.objects.get('fleets', { namespace: '', name: 'fleet' }),
    readPods(store, pods),
    store.records.list<RefusedBeats>(REFUSED_BEATS_PREFIX),
  ])
  const record = (fleet?.object as Fleet | undefined)?.status?.record as FleetRecord | undefined
  const uids = new Map(nodes.items.map(({ key, uid }) => [key.name, uid]))
  const records = refused.map(({ value }) => value)
  const world: World = {
    nodes: new Map(nodes.items.map((node) => [node.key.name, node as KnownNode])),
    beats,
    podsByNode: Map.groupBy(podList, ({ object }) => object.spec?.nodeName ?? ''),
    zones: new Map(zones.items.flatMap(zoneRecord)),
    ...(fleet && record && { fleet: { version: fleet.version, value: record } }),
    knownNodes: uids,
    refusals: latestRefusals(records, (name) => uids.get(name), nowMs),
    visibility: visibilityIn(record),
  }
  return explainer(world, nowMs, settingsIn(fleet))
}

/** The api cannot know whether the canary beats now; what the monitor stored of it, it can. */
function visibilityIn(record: FleetRecord | undefined): Visibility {
  const blind = record && openInterval(record.blind)
  return blind ? { kind: 'blind', sinceMs: blind.fromMs, why: blind.why } : { kind: 'clear' }
}

/** As the monitor was told, which shows them in the Fleet. */
const settingsIn = (fleet: StoredObject | undefined): Settings => ({
  ...defaultSettings,
  ...((fleet?.object as Fleet | undefined)?.status?.settings as Partial<Settings> | undefined),
})

function zoneRecord({ object, version }: StoredObject) {
  const { spec, status } = object as Zone
  const { region = '', zone = '' } = spec ?? {}
  const value = status?.record as ZoneRecord | undefined
  return value ? [[zoneKeyOf(region, zone), { version, value }] as const] : []
}

async function readBeats(store: Store): Promise<ReadonlyMap<string, Beat>> {
  const beats = new Map<string, Beat>()
  for await (const page of store.leases.beats()) for (const beat of page) beats.set(beat.name, beat)
  return beats
}

async function readPods(store: Store, of: PodsOf): Promise<readonly KnownPod[]> {
  const found =
    of === 'all'
      ? (await store.objects.list('pods', { depth: 'lean' })).items
      : await store.objects.podsOn(of.node)
  return found as readonly KnownPod[]
}
