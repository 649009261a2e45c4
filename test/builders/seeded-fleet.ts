/** Many healthy nodes with their leases, written as fast as a store takes them. */
import { nodes } from '../../shared/kube/node/resource.ts'
import type { Node } from '../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import type { Store, WriteStep } from '../../shared/store/ports.ts'
import { nodeLease, nodeName, readyNode } from './objects.ts'

const ZONES = ['a', 'b', 'c']
const BATCH = 25
const PARALLEL = 4

export async function seedFleet(store: Store, clock: () => number, count: number): Promise<void> {
  await seedNodes(store, clock, count)
  await inParallel(namesOf(count), 1, async ([name = '']) => {
    await store.leases.create(nodeLease(name, { renewTime: formatMicroTime(clock() * 1_000) }))
  })
}

export async function seedNodes(store: Store, clock: () => number, count: number): Promise<void> {
  await inParallel(namesOf(count), BATCH, async (names) => {
    const steps = names.map((name): WriteStep => {
      const object = seededNode(name, clock())
      const fields = nodes.selectable(object)
      return { do: 'createObject', resource: 'nodes', object, fields, receivedAtMs: clock() }
    })
    const { kind } = await store.commit(steps)
    if (kind !== 'committed') throw new Error(`the nodes of a new fleet were ${kind}`)
  })
}

const namesOf = (count: number) => Array.from({ length: count }, (_, at) => nodeName(at))

/** With every condition a host reports, so that its size is a real one. */
function seededNode(name: string, nowMs: number): Node {
  const zone = ZONES[Number(name.slice(-5)) % ZONES.length]!
  const labels = { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name }
  const node = readyNode(name, { nowMs, metadata: { labels } })
  const now = formatTime(nowMs)
  const times = { lastHeartbeatTime: now, lastTransitionTime: now }
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
    (type) => ({ type, status: 'False', ...times }) as const,
  )
  return { ...node, status: { conditions: [...pressures, ...node.status!.conditions!] } }
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
