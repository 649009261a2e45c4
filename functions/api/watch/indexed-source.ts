/**
 * Nodes, pods, events and all else that has an index: one query a second, and a read of what
 * changed.
 */
import type { Resource } from '../../../shared/kube/resource.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change, Store, StoredObject } from '../../../shared/store/ports.ts'
import type { Stored } from '../memory/shelf.ts'
import { changeOf, missed, settle } from './comparison.ts'
import { type Delta, inOrder } from './delta.ts'
import {
  freshOf,
  type IndexMemory,
  indexMemory,
  latestOf,
  recent,
  remember,
  withEnds,
} from './index-memory.ts'
import { lastStates } from './last-states.ts'
import { polling } from './polling.ts'
import type { Batch, Listener, Source, SourceDeps } from './source.ts'
import { OVERLAP, versionAt } from './timing.ts'

// As much of a list as is read at a time.
const PAGE_SIZE = 500

export function indexedSource(deps: SourceDeps, { plural, selectable }: Resource): Source {
  const { store, now, settings } = deps
  const states = lastStates()
  let memory: IndexMemory
  let comparedMs: number

  const begin = () => {
    comparedMs = now()
    memory = indexMemory(versionAt(comparedMs))
  }

  // What is told and what is remembered change together at the end, so a turn that fails has
  // changed nothing.
  const turn = (wants: Listener['wants']): Promise<Batch> =>
    now() - comparedMs < settings.compareMs ? poll(wants) : compare(wants)

  const poll = async (wants: Listener['wants']): Promise<Batch> => {
    const polledVersion = versionAt(now())
    const changes = await store.objects.changes(plural, memory.horizon)
    const deltas = withEnds(memory, await deltasOf(freshOf(memory, changes), wants)).map(withState)
    remember(memory, deltas, polledVersion - OVERLAP)
    return { deltas, polledVersion }
  }

  const compare = async (wants: Listener['wants']): Promise<Batch> => {
    const startedMs = now()
    const list = await everything(store, plural)
    const changes = missed(memory, list, versionAt(startedMs))
    const deltas = withEnds(memory, await deltasOf(changes, wants)).map(withState)
    remember(memory, deltas, memory.horizon)
    settle(memory, list, versionAt(startedMs))
    comparedMs = startedMs
    if (deltas.length > 0) {
      const message = `a list of ${plural} showed ${deltas.length} changes that polls had missed`
      deps.log({ level: 'warn', message })
    }
    return { deltas, polledVersion: memory.horizon + OVERLAP }
  }

  /**
   * Reads what is wanted. What is not there, or is somebody else by now, is left for when the index
   * says so. The name of what is gone is read too: somebody may bear it again, stamped by a clock
   * so far behind that this reading of the index does not reach back to it.
   */
  const deltasOf = async (changes: readonly Delta[], wants: Listener['wants']) => {
    const wanted = new Set(changes.filter(wants))
    const keys = new Map([...wanted].map(({ key }) => [keyText(key), key]))
    const items = keys.size > 0 ? await store.objects.read(plural, [...keys.values()]) : []
    const bearers = new Map(items.map((item) => [keyText(item.key), item]))
    const shown = new Set(changes.filter(({ deleted }) => !deleted).map(({ uid }) => uid))
    return changes.flatMap((change): Delta[] => {
      const bearer = bearers.get(keyText(change.key))
      if (!wanted.has(change)) return [change]
      if (!change.deleted) return bearer?.uid === change.uid ? [live(change, bearer)] : []
      if (!bearer || shown.has(bearer.uid)) return [change]
      shown.add(bearer.uid)
      return [change, live(changeOf(bearer), bearer)]
    })
  }

  const live = (change: Delta, item: StoredObject): Delta => {
    states.keep(item.uid, item.object)
    const hasMovedOn = item.version > change.version
    return {
      ...change,
      ...changeOf(item),
      object: item.object,
      ...(hasMovedOn && { isLeap: true }),
    }
  }

  /** A tombstone has no object; the last state seen here is the next best. */
  const withState = (delta: Delta): Delta => {
    const object = delta.deleted ? states.get(delta.uid) : undefined
    return object ? { ...delta, object } : delta
  }

  const rhythm = polling({ ...deps, intervalMs: settings.pollMs, begin, poll: turn })
  return {
    ...rhythm,
    async since(version, wants) {
      const changes = await store.objects.changes(plural, version - OVERLAP)
      const told = recent(memory).filter((change) => change.version >= version - OVERLAP)
      const deltas = await deltasOf(latestOf([...changes, ...told]), wants)
      return inOrder(deltas).map(withState)
    },
    learn(items) {
      for (const item of items) memory.listed.set(keyText(item.key), listedChange(item, selectable))
    },
  }
}

function listedChange(item: Stored, selectable: Resource['selectable']): Change {
  return changeOf({ ...item, fields: selectable(item.object), createdVersion: 0 })
}

async function everything(store: Store, plural: string): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.key
    const page = await store.objects.list(plural, {
      limit: PAGE_SIZE,
      depth: 'lean',
      ...(after && { after }),
    })
    all.push(...page.items)
    more = page.more && page.items.length > 0
  }
  return all
}
