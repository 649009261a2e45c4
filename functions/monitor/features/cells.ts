/**
 * The whole fleet in a word per node: one object per zone and part of it, written when it changed.
 */
import type { Cells } from '../../../shared/kube/cells/resource.ts'
import { fnv1a } from '../../../shared/kube/fnv.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { chunkCount, encodeCells } from '../../../shared/lifecycle/cells/cells.ts'
import { summarizeNode } from '../../../shared/lifecycle/liveness/node-summary.ts'
import type { KnownNode } from '../../../shared/lifecycle/world.ts'
import { nameOfZone, zoneKey } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import { type ApplyContext, commitCounted, runJobs } from '../apply/context.ts'
import type { MonitorFeature } from '../chores/chore.ts'
import type { MonitorSession } from '../session.ts'
import { storedAfter } from '../stored-state/write.ts'

const EVERY_MS = 3_000

export const cellsFeature: MonitorFeature = {
  chore(session) {
    const written: WrittenCells = { stored: undefined, isCurrent: false }
    session.nodes.onChange(() => {
      written.isCurrent = false
    })
    const work = (context: ApplyContext) => writeCells(session, context, written)
    return { name: 'write the cells', everyMs: EVERY_MS, work }
  },
}

interface WrittenCells {
  /** What is stored under each name; undefined until it was read once. */
  stored: Map<string, StoredObject> | undefined
  /** No node has changed since what is stored was last compared. */
  isCurrent: boolean
}

async function writeCells(
  session: MonitorSession,
  context: ApplyContext,
  written: WrittenCells,
): Promise<void> {
  if (written.stored && written.isCurrent) return
  written.stored ??= await readStored(session)
  // A node that changes from here on is for the next round.
  written.isCurrent = true
  const wanted = textsOf(session)
  const steps = [...changes(written.stored, wanted, context)]
  const jobs = steps.map(([name, step]) => async () => {
    const [done] = await commitCounted(context, 'cells', [{ of: name, steps: [step] }])
    if (done) remember(written, name, step, done.versions[0]!)
    // Another monitor writes them too: read again what there is.
    else written.stored = undefined
  })
  await runJobs(context, jobs)
}

async function readStored({ deps }: MonitorSession): Promise<Map<string, StoredObject>> {
  const { items } = await deps.store.objects.list('cells', {})
  return new Map(items.map((item) => [item.key.name, item]))
}

interface Part {
  readonly zone: string
  readonly nodes: string
}

function textsOf({ nodes }: MonitorSession): ReadonlyMap<string, Part> {
  const zones = Map.groupBy(nodes.objects.values() as Iterable<KnownNode>, ({ object }) =>
    zoneKey(object),
  )
  const parts = new Map<string, Part>()
  for (const [key, its] of zones) {
    const zone = nameOfZone(key)
    const chunks = Array.from({ length: chunkCount(its.length) }, (): KnownNode[] => [])
    for (const node of its) chunks[fnv1a(node.key.name) % chunks.length]!.push(node)
    for (const [at, chunk] of chunks.entries()) {
      chunk.sort((a, b) => (a.key.name < b.key.name ? -1 : 1))
      const text = encodeCells(chunk.map(({ object }) => summarizeNode(object)))
      parts.set(`${zone}-${at}`, { zone, nodes: text })
    }
  }
  return parts
}

type CellsStep = Extract<
  WriteStep,
  { readonly do: 'createObject' | 'replaceObject' | 'deleteObject' }
>

function* changes(
  stored: ReadonlyMap<string, StoredObject>,
  wanted: ReadonlyMap<string, Part>,
  { deps, nowMs }: ApplyContext,
): Iterable<readonly [string, CellsStep]> {
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

function remember({ stored }: WrittenCells, name: string, step: CellsStep, version: number): void {
  if (step.do === 'deleteObject') stored?.delete(name)
  else stored?.set(name, storedAfter(step, version))
}
