import { describe, expect } from 'vitest'
import type { Node } from '../../../../shared/kube/objects.ts'
import { coreEvents } from '../../../../shared/lifecycle/events/core-events.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { Store, StoredObject } from '../../../../shared/store/ports.ts'
import { SmallFleet } from '../../../functions/monitor/small-fleet.ts'
import { streamingStore } from '../../../functions/notifier/streaming-store.ts'
import { nodeOf, type VectorNode } from '../vector-shapes.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Given {
  readonly known: readonly string[]
  readonly zoneStates: Readonly<Record<string, string>>
  readonly nodes: readonly VectorNode[]
}
interface Expected {
  readonly added: readonly string[]
  readonly deleted: readonly string[]
  readonly newZoneRepresentatives: readonly string[]
}

const namesIn = async (store: Store, resource: string) =>
  (await store.objects.list(resource, {})).items

/** What Kubernetes compares in its memory is compared here by what is written between two ticks. */
describe('classify-nodes vectors', () => {
  const cases = casesOf<Given, Expected>('classify-nodes')
  runCases('classify-nodes', cases, async ({ known, zoneStates, nodes }, expected) => {
    const stream = { transitions: [] as ReturnType<typeof streamingStore>['transitions'] }
    const fleet = new SmallFleet({
      store: (clock) => {
        const made = streamingStore(memoryStore({ clock }), clock)
        stream.transitions = made.transitions
        return made.store
      },
    })
    const create = (object: Node) =>
      fleet.must([{ do: 'createObject', resource: 'nodes', object, fields: {} }])
    const given = new Map(nodes.map((node) => [node.name, nodeOf(node)]))
    const gone = nodeOf({ name: 'gone', createdAt: 0, labels: nodes[0]?.labels ?? {} })
    for (const name of known)
      await create(given.get(name) ?? { ...gone, metadata: { ...gone.metadata, name } })
    await fleet.tick()
    for (const believed of await namesIn(fleet.store, 'zones'))
      if (!(keyOf(believed) in zoneStates)) await fleet.must([{ do: 'deleteObject', believed }])
    const zonesBefore = new Set((await namesIn(fleet.store, 'zones')).map(keyOf))
    const before = stream.transitions.length

    for (const node of given.values()) if (!known.includes(node.metadata.name!)) await create(node)
    for (const believed of await namesIn(fleet.store, 'nodes'))
      if (!given.has(believed.key.name)) await fleet.must([{ do: 'deleteObject', believed }])
    await fleet.tick()

    const told = stream.transitions
      .slice(before)
      .flatMap((transition) => coreEvents(transition, []))
    const toldOf = (wanted: string) =>
      told.flatMap(({ reason, involvedObject: { name } }) => (reason === wanted ? [name] : []))
    expect(toldOf('RegisteredNode').sort()).toEqual([...expected.added].sort())
    expect(toldOf('RemovingNode').sort()).toEqual([...expected.deleted].sort())
    const created = (await namesIn(fleet.store, 'zones')).map(keyOf)
    const isNewZone = (key: string) => created.includes(key) && !zonesBefore.has(key)
    const representatives = nodes
      .filter(({ name, labels }) => known.includes(name) && isNewZone(keyOfLabels(labels ?? {})))
      .map(({ name }) => name)
    expect(representatives.sort()).toEqual([...expected.newZoneRepresentatives].sort())
  })
})

const keyOf = ({ object }: StoredObject): string => {
  const { region = '', zone = '' } =
    (object as { spec?: { region?: string; zone?: string } }).spec ?? {}
  return region || zone ? `${region}:\u0000:${zone}` : ''
}

const keyOfLabels = (labels: Readonly<Record<string, string>>): string => {
  const region = labels['topology.kubernetes.io/region'] ?? ''
  const zone = labels['topology.kubernetes.io/zone'] ?? ''
  return region || zone ? `${region}:\u0000:${zone}` : ''
}
