/**
 * A world small enough to try everything in: two zones of a few hosts over the in-memory store,
 * which can be copied, and what may happen next in it.
 */
import { openSession } from '../../functions/monitor/session.ts'
import { tick } from '../../functions/monitor/tick.ts'
import type { Node } from '../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import type { FleetRecord } from '../../shared/lifecycle/world.ts'
import type { Collection, Memory } from '../../shared/store/memory/state.ts'
import { storeOver } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { wrappedStore } from '../store-doubles/wrapped-store.ts'
import { heartbeatsCount } from './invariants/beats.ts'
import { disruptionEvictsNone } from './invariants/disruption.ts'
import { evictionRateIsKept } from './invariants/eviction-rate.ts'
import { holdsHold } from './invariants/holds.ts'
import { noWriteIsLost } from './invariants/lost-writes.ts'
import { observedStore, type Witness } from './observed-store.ts'
import { newProcess, type Process } from './process.ts'
import { learn, newTruth, recordOf, type Truth } from './truth.ts'

export const PERIOD_MS = 5_000

/** Everything happens within a few periods, so that ages stay few. */
export const settings: Settings = {
  ...defaultSettings,
  nodeMonitorPeriodMs: PERIOD_MS,
  nodeMonitorGracePeriodMs: 2 * PERIOD_MS,
  nodeStartupGracePeriodMs: 2 * PERIOD_MS,
  nodeLeaseRenewIntervalMs: PERIOD_MS,
  nodeEvictionSettleMs: PERIOD_MS,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.05,
  largeClusterSizeThreshold: 2,
}

export interface Moment {
  readonly nowMs: number
  readonly memory: Memory
}

const START_MS = Date.UTC(2026, 0, 1)

/** The monitors here start cold, and so read everything: none of them reads an index. */
const noIndex = { put() {}, drop() {}, changes: () => [], podsOn: () => [] }

function emptyMemory(clock: () => number): Memory {
  const maps = {
    leases: new Map(),
    leaseTombstones: new Map(),
    objects: new Map(),
    records: new Map(),
  }
  const stamp = (previous: number) => Math.max(clock() * 1_000, previous + 1)
  return { clock, stamp, ...maps, index: noIndex }
}

export function copyOf({ nowMs, memory }: Moment, laterMs = 0): Moment {
  const atMs = nowMs + laterMs
  const copy = emptyMemory(() => atMs)
  for (const [id, lease] of memory.leases) copy.leases.set(id, lease)
  for (const [name, record] of memory.records) copy.records.set(name, record)
  for (const [resource, { states }] of memory.objects) {
    const shelf: Collection = { states: new Map(states), sorted: undefined }
    copy.objects.set(resource, shelf)
  }
  return { nowMs: atMs, memory: copy }
}

// ---- beginning ----------------------------------------------------------------------------------

/**
 * `sizes` are the hosts of each zone; the first of each runs a pod that tolerates nothing for long.
 */
export async function beginning(sizes: readonly number[]): Promise<Moment> {
  const moment = { nowMs: START_MS, memory: emptyMemory(() => START_MS) }
  const store = storeOver(moment.memory)
  for (const [zone, size] of sizes.entries()) {
    for (let host = 0; host < size; host += 1) {
      const name = `host-${zone}${host}`
      await addHost(store, name, `zone-${zone}`)
      if (host === 0) await addPod(store, name)
    }
  }
  return moment
}

async function addHost(store: Store, name: string, zone: string): Promise<void> {
  const metadata = {
    name,
    uid: `uid-${name}`,
    creationTimestamp: formatTime(START_MS),
    labels: { 'topology.kubernetes.io/zone': zone },
  }
  const object = { metadata, spec: {}, status: { conditions: conditionsAt(START_MS) } } as Node
  const fields = { 'metadata.name': name }
  const receivedAtMs = START_MS
  await store.commit([{ do: 'createObject', resource: 'nodes', object, fields, receivedAtMs }])
  await store.leases.create({
    metadata: { name, namespace: 'kube-node-lease', uid: `lease-${name}` },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: '0' },
  })
}

async function addPod(store: Store, nodeName: string): Promise<void> {
  const key = 'node.kubernetes.io/unreachable'
  const toleration = { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 } as const
  const name = `pod-of-${nodeName}`
  const object = {
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: formatTime(START_MS) },
    spec: { nodeName, tolerations: [toleration] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }
  const fields = { 'metadata.name': name, 'spec.nodeName': nodeName }
  await store.commit([{ do: 'createObject', resource: 'pods', object, fields } as never])
}

const conditionsAt = (nowMs: number) => [
  { type: 'Ready', status: 'True', lastHeartbeatTime: formatTime(nowMs) },
]

// ---- what may happen ----------------------------------------------------------------------------

/** A host beats; one that was declared silent reports as well, as an agent does. */
export async function beat(store: Store, name: string, nowMs: number): Promise<void> {
  const key = { namespace: 'kube-node-lease', name }
  const spec = { holderIdentity: name, renewTime: formatMicroTime(nowMs * 1_000) }
  await store.leases.renew({ key, spec })
  const believed = await store.objects.get('nodes', { namespace: '', name }, 'lean')
  const node = believed?.object as Node
  if (!believed || node.status?.conditions?.[0]?.status === 'True') return
  const object = { ...node, status: { conditions: conditionsAt(nowMs) } } as Node
  const { fields } = believed
  await store.commit([{ do: 'replaceObject', believed, object, fields, receivedAtMs: nowMs }])
}

export interface Run {
  readonly moment: Moment
  readonly store: (by: Process) => Store
  /** Throws what broke. Not at once: a monitor would take it for a trouble of the store and go on. */
  readonly check: () => void
}

/** A way into a moment under the eyes of the invariants. */
export function enter(moment: Moment): Run {
  const truth = truthOf(moment)
  const invariants = [
    heartbeatsCount,
    evictionRateIsKept(),
    disruptionEvictsNone({ availableMs: (sinceMs) => moment.nowMs - sinceMs }),
    noWriteIsLost,
    holdsHold,
  ]
  let broken: unknown
  const witness: Witness = (write) => {
    try {
      for (const { onWrite } of invariants) onWrite?.(truth, write)
      learn(truth, write)
    } catch (error) {
      broken ??= error
    }
  }
  const check = () => {
    if (broken) throw broken
  }
  const { memory } = moment
  const nowMs = () => moment.nowMs
  const withClock = <T>(_by: Process, act: () => T) => act()
  const store = (by: Process) => observedStore({ memory, by, nowMs, withClock, witness })
  return { moment, store, check }
}

/** From what is stored: everything here is written in the open. */
function truthOf({ memory }: Moment): Truth {
  const truth = newTruth(settings)
  for (const { lean } of memory.objects.get('nodes')?.states.values() ?? []) {
    const lease = memory.leases.get(`kube-node-lease/${lean.key.name}`)
    const atMs = Math.max(lean.receivedAtMs ?? 0, lease?.receivedAtMs ?? 0)
    truth.nodes.set(lean.key.name, {
      name: lean.key.name,
      uid: lean.uid,
      object: lean.object as Node,
      version: lean.version,
      sign: { atMs, skewMs: 0 },
      createdAtMs: START_MS,
      readySinceMs: lease?.declaredAtMs ?? START_MS,
      graceSinceMs: START_MS,
    })
  }
  const fleet = memory.objects.get('fleets')?.states.get('/fleet')?.lean
  const record = recordOf({ ...(fleet && { after: fleet }) }) as FleetRecord | undefined
  truth.fleet.disruption = record?.disruption ?? 'none'
  truth.fleet.floorMs = record?.floorMs ?? 0
  return truth
}

export type BeforeCall = (call: number) => Promise<void>

/**
 * One tick of a monitor that has just started; `beforeCall` may do what it likes, even never end.
 */
export async function tickOnce({ moment, store }: Run, name: string, beforeCall: BeforeCall) {
  const by = newProcess('monitor', name, moment.nowMs, 0)
  let calls = 0
  let uuids = 0
  const gate = () => beforeCall(++calls)
  await tick(
    openSession({
      store: gated(store(by), gate),
      settings,
      clock: () => moment.nowMs,
      sleep: async () => {},
      random: () => 0.5,
      uuid: () => `uid-of-${name}-${++uuids}`,
      log: () => {},
    }),
  )
  return calls
}

function gated(store: Store, gate: () => Promise<void>): Store {
  return wrappedStore(store, {
    async call(_name, act) {
      await gate()
      return await act()
    },
    async *pages(_name, read) {
      await gate()
      yield* read()
    },
  })
}
