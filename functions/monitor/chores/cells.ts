/**
 * The whole fleet in a word per node: one object per zone and part of it, written when it changed.
 */

import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Cells } from '../../../shared/kube/resources/cells.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { cellOf, chunkCount, encodeCells } from '../../../shared/lifecycle/cells.ts'
import type { KnownNode } from '../../../shared/lifecycle/world.ts'
import { zoneKey } from '../../../shared/lifecycle/zone-key.ts'
import type { Step, StoredObject } from '../../../shared/store/ports.ts'
import { hash } from '../../../shared/store/tables.ts'
import { type Applying, settle } from '../apply/applying.ts'
import { runPool } from '../apply/pool.ts'
import { commitTogether } from '../apply/together.ts'
import type { Session } from '../session.ts'
import { nameOfZone } from '../zone-object.ts'

export const CELLS_EVERY_MS = 3_000

/** What is stored under each name; undefined until it was read once. */
export interface CellShelf {
  stored: Map<string, StoredObject> | undefined
}

export async function writeCells(
  session: Session,
  applying: Applying,
  shelf: CellShelf,
): Promise<void> {
  const isCold = shelf.stored === undefined
  if (!isCold && session.touched.size === 0) return
  shelf.stored ??= await readShelf(session)
  // Whoever is touched from here on is for the next round.
  session.touched.clear()
  const wanted = textsOf(session)
  const steps = [...changes(shelf.stored, wanted, applying)]
  const jobs = steps.map(([name, step]) => async () => {
    const [fate] = await commitTogether(applying.deps.store, [{ of: name, steps: [step] }])
    if (settle(applying, 'cells', fate!)) remember(shelf, name, step, fate.versions[0]!)
    // Somebody else writes them too: look again what there is.
    else shelf.stored = undefined
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

async function readShelf({ deps }: Session): Promise<Map<string, StoredObject>> {
  const { items } = await deps.store.objects.list('cells', {})
  return new Map(items.map((item) => [item.key.name, item]))
}

interface Part {
  readonly zone: string
  readonly nodes: string
}

function textsOf({ nodes }: Session): ReadonlyMap<string, Part> {
  const zones = Map.groupBy(nodes.objects.values() as Iterable<KnownNode>, ({ object }) =>
    zoneKey(object),
  )
  const parts = new Map<string, Part>()
  for (const [key, its] of zones) {
    const zone = nameOfZone(key)
    const chunks = Array.from({ length: chunkCount(its.length) }, (): KnownNode[] => [])
    for (const node of its) chunks[hash(node.key.name) % chunks.length]!.push(node)
    for (const [at, chunk] of chunks.entries()) {
      chunk.sort((a, b) => (a.key.name < b.key.name ? -1 : 1))
      const text = encodeCells(chunk.map(({ object }) => cellOf(object)))
      parts.set(`${zone}-${at}`, { zone, nodes: text })
    }
  }
  return parts
}

function* changes(
  stored: ReadonlyMap<string, StoredObject>,
  wanted: ReadonlyMap<string, Part>,
  { deps, nowMs }: Applying,
): Iterable<readonly [string, Step]> {
  for (const [name, part] of wanted) {
    const believed = stored.get(name)
    const fields = { 'metadata.name': name }
    if (!believed) {
      const metadata = { name, uid: deps.uuid(), creationTimestamp: formatTime(nowMs) }
      const object = { apiVersion: 'leasehold.dev/v1', kind: 'Cells', metadata, ...part }
      yield [name, { do: 'createObject', resource: 'cells', object: object as KubeObject, fields }]
    } else if ((believed.object as Cells).nodes !== part.nodes) {
      const object = { ...believed.object, ...part } as KubeObject
      yield [name, { do: 'replaceObject', believed, object, fields }]
    }
  }
  for (const [name, believed] of stored) {
    if (!wanted.has(name)) yield [name, { do: 'deleteObject', believed }]
  }
}

function remember({ stored }: CellShelf, name: string, step: Step, version: number): void {
  if (step.do === 'deleteObject') stored?.delete(name)
  if (step.do !== 'createObject' && step.do !== 'replaceObject') return
  const { object, fields } = step
  const uid = object.metadata.uid ?? ''
  const key = { namespace: '', name }
  const createdVersion = step.do === 'createObject' ? version : step.believed.createdVersion
  stored?.set(name, { resource: 'cells', key, uid, version, createdVersion, fields, object })
}
