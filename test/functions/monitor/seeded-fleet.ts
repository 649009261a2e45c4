/** Many healthy nodes with their leases, written as fast as a store takes them. */
import type { Node } from '../../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../../shared/kube/time.ts'
import type { Step, Store } from '../../../shared/store/ports.ts'
import { nodeName } from './small-fleet.ts'

const ZONES = ['a', 'b', 'c']
const TOGETHER = 25
const PARALLEL = 4

export async function seedFleet(store: Store, clock: () => number, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => nodeName(at))
  await inParallel(names, TOGETHER, async (chunk) => {
    const steps = chunk.map((name): Step => {
      const object = seededNode(name, clock())
      const fields = { 'metadata.name': name, 'spec.unschedulable': 'false' }
      return { do: 'createObject', resource: 'nodes', object, fields, receivedAtMs: clock() }
    })
    await store.commit(steps)
  })
  await inParallel(names, 1, async ([name]) => {
    const renewTime = formatMicroTime(clock() * 1_000)
    const metadata = { name: name!, namespace: 'kube-node-lease', uid: `lease-${name}` }
    const spec = { holderIdentity: name!, leaseDurationSeconds: 40, renewTime }
    await store.leases.create({ metadata, spec })
  })
}

export function seededNode(name: string, nowMs: number): Node {
  const zone = ZONES[Number(name.slice(-5)) % ZONES.length]!
  const now = formatTime(nowMs)
  const condition = { lastHeartbeatTime: now, lastTransitionTime: now }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: now,
      labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name },
    },
    spec: {},
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'False', ...condition },
        { type: 'DiskPressure', status: 'False', ...condition },
        { type: 'PIDPressure', status: 'False', ...condition },
        { type: 'Ready', status: 'True', reason: 'KubeletReady', ...condition },
      ],
    },
  }
}

async function inParallel<T>(
  items: readonly T[],
  size: number,
  work: (chunk: readonly T[]) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const chunk = items.slice(next, next + size)
      next += size
      await work(chunk)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}
