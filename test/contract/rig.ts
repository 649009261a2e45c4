/**
 * One world per behaviour: a store of its own, a clock that moves only when told, and everything
 * counted.
 */
import type { Lease, LeaseSpec } from '../../shared/kube/objects.ts'
import type { CapacityUsage } from '../../shared/store/dynamo/calls.ts'
import type { Store, StoredLease, StoredObject, WriteStep } from '../../shared/store/ports.ts'

export interface Rig {
  readonly store: Store
  /** Another process on the same memory. */
  readonly other: Store
  readonly clock: TestClock
  /** What the calls so far have cost; nothing where nothing is counted. */
  readonly usage: CapacityUsage[]
}

/** Makes a fresh world; where a store must start empty it does. */
export type MakeRig = () => Promise<Rig>

export interface TestClock {
  (): number
  advance(ms: number): void
}

export function testClock(startMs: number): TestClock {
  let nowMs = startMs
  const clock = () => nowMs
  return Object.assign(clock, {
    advance(ms: number) {
      nowMs += ms
    },
  })
}

export const lockKey = { namespace: 'default', name: 'lock' }
export const hostKey = { namespace: 'kube-node-lease', name: 'host-1' }

let uids = 0

export function lease(key: { namespace: string; name: string }, spec: LeaseSpec = {}): Lease {
  uids += 1
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...key, uid: `uid-${uids}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
  }
}

export const time = (n: number) => `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.${pad(n)}Z`
const pad = (n: number) => String(n).padStart(6, '0')

export const held = (holderIdentity: string, n = 0): LeaseSpec => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: time(0),
  renewTime: time(n),
})

/** Creates it and fails the test if that is not what happened. */
export async function created(store: Store, wanted: Lease): Promise<StoredLease> {
  const outcome = await store.leases.create(wanted)
  if (outcome.kind !== 'created') throw new Error(`expected created, got ${outcome.kind}`)
  return outcome.now
}

export function withSpec(stored: StoredLease, spec: LeaseSpec): Lease {
  return { ...stored.object, spec: { ...stored.object.spec, ...spec } }
}

export function node(name: string, extra: Record<string, unknown> = {}) {
  uids += 1
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-${uids}`, labels: { zone: 'a' } },
    ...extra,
  }
}

export function pod(namespace: string, name: string, nodeName?: string) {
  uids += 1
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, uid: `uid-${uids}` },
    spec: nodeName ? { nodeName } : {},
  }
}

export const podFields = (nodeName = '') => ({ 'spec.nodeName': nodeName })

export async function add(
  store: Store,
  resource: string,
  object: StoredObject['object'],
  fields: Record<string, string> = {},
): Promise<StoredObject> {
  const commit = await store.commit([{ do: 'createObject', resource, object, fields }])
  if (commit.kind !== 'committed') throw new Error('expected the object to be created')
  const { name = '', namespace = '' } = object.metadata
  return (await store.objects.get(resource, { namespace, name }))!
}

export function replacing(
  believed: StoredObject,
  metadata: StoredObject['object']['metadata'],
  parts: Record<string, unknown> = {},
  fields: Record<string, string> = {},
): WriteStep {
  const object = {
    ...believed.object,
    ...parts,
    metadata: { ...believed.object.metadata, ...metadata },
  }
  return { do: 'replaceObject', believed, object, fields }
}

export async function replace(
  store: Store,
  ...change: Parameters<typeof replacing>
): Promise<StoredObject> {
  const commit = await store.commit([replacing(...change)])
  if (commit.kind !== 'committed') throw new Error('expected the object to be replaced')
  const [{ resource, key }] = change
  return (await store.objects.get(resource, key))!
}
