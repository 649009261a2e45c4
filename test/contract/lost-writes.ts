/**
 * Every write of the ports, and what a store that looks for proof must answer when the answer of the
 * database to it was lost. `done` and `refused` must be true; `unknown`, a 504, is for where nothing
 * can be proven.
 */
import type {
  Commit,
  Key,
  Outcome,
  Renewed,
  Store,
  StoredLease,
  StoredObject,
  WriteStep,
} from '../../shared/store/ports.ts'
import {
  add,
  created,
  held,
  lease,
  node,
  pod,
  podFields,
  replacing,
  type TestClock,
  withSpec,
} from './rig.ts'

export type Answer = 'done' | 'refused' | 'unknown'

/** What other writers do between the loss and the repeat. */
export const rivalries = ['nothing', 'one', 'two', 'deleted', 'recreated'] as const
export type Rivalry = (typeof rivalries)[number]
type Answers = Readonly<Record<Rivalry, Answer>>

export interface LostWrite {
  readonly name: string
  /** Makes ready and returns the write itself. */
  readonly prepare: (place: Place) => Promise<() => Promise<unknown>>
  readonly rival: (place: Place) => RivalOf
  /** When it was applied, and when it was not. */
  readonly lost: Answers
  readonly unsent: Answers
}

/** Names of its own for each case, in tables that all share. */
export interface Place {
  readonly store: Store
  readonly other: Store
  readonly clock: TestClock
  readonly id: string
}

interface RivalOf {
  /** Creates what is not there. */
  readonly change: () => Promise<unknown>
  readonly drop: () => Promise<unknown>
}

const answers = (
  nothing: Answer,
  one: Answer,
  two: Answer,
  deleted: Answer,
  recreated: Answer,
): Answers => ({ nothing, one, two, deleted, recreated })

const all = (answer: Answer) => answers(answer, answer, answer, answer, answer)
/** Proven only while no other write has come on top. */
const onlyAlone = answers('done', 'unknown', 'unknown', 'unknown', 'unknown')
/** Proven by the id, also as the one before the last. */
const byIds = answers('done', 'done', 'unknown', 'done', 'unknown')

// ---- places -------------------------------------------------------------------------------------

const lock = ({ id }: Place): Key => ({ namespace: 'default', name: id })
const host = ({ id }: Place): Key => ({ namespace: 'kube-node-lease', name: id })
const nodeKey = ({ id }: Place): Key => ({ namespace: '', name: id })

let labels = 0

const leaseRival =
  (keyOf: (place: Place) => Key) =>
  (place: Place): RivalOf => {
    const { leases } = place.other
    const key = keyOf(place)
    return {
      async change() {
        labels += 1
        const found = await leases.get(key)
        if (!found) return created(place.other, lease(key, held('rival', labels)))
        // A beat of the same holder, or a change of its labels.
        if (keyOf === host)
          return leases.renew({ key, spec: held(found.object.spec!.holderIdentity!, labels) })
        const metadata = { ...found.object.metadata, labels: { by: `rival-${labels}` } }
        return leases.replace({ ...found.object, metadata }, found)
      },
      async drop() {
        const found = await leases.get(key)
        return found && leases.remove(found)
      },
    }
  }

const nodeRival = (place: Place): RivalOf => {
  const { other } = place
  const found = () => other.objects.get('nodes', nodeKey(place))
  return {
    async change() {
      labels += 1
      const believed = await found()
      if (!believed) return add(other, 'nodes', node(place.id))
      return other.commit([replacing(believed, { labels: { by: `rival-${labels}` } })])
    },
    async drop() {
      const believed = await found()
      return believed && other.commit([{ do: 'deleteObject', believed }])
    },
  }
}

const recordRival = ({ other, id: name }: Place): RivalOf => ({
  async change() {
    const believed = (await other.records.get(name))?.version
    return other.commit([{ do: 'putRecord', name, value: 'rival', ...(believed && { believed }) }])
  },
  async drop() {
    const found = await other.records.get(name)
    return found && other.commit([{ do: 'dropRecord', name, believed: found.version }])
  },
})

// ---- leases -------------------------------------------------------------------------------------

/** Above all that rivals send. */
const beat = 1_000_000

const renewing =
  (keyOf: (place: Place) => Key, by: 'put' | 'patch') =>
  async (place: Place): Promise<() => Promise<Renewed>> => {
    const key = keyOf(place)
    const { version, uid, object } = await created(place.store, lease(key, held('me')))
    const spec = held('me', beat)
    const renewal = by === 'put' ? { key, spec, version, uid, object } : { key, spec }
    return () => place.store.leases.renew(renewal)
  }

const replacingLease =
  (keyOf: (place: Place) => Key, change: (found: StoredLease) => StoredLease['object']) =>
  async (place: Place): Promise<() => Promise<Outcome<'replaced', StoredLease>>> => {
    const { store, clock } = place
    const found = await created(store, lease(keyOf(place), held('old')))
    clock.advance(20_000)
    return () => store.leases.replace(change(found), found)
  }

const creatingLease = (keyOf: (place: Place) => Key) => async (place: Place) => {
  const wanted = lease(keyOf(place), held('me'))
  return () => place.store.leases.create(wanted)
}

const removingLease = (keyOf: (place: Place) => Key) => async (place: Place) => {
  const found = await created(place.store, lease(keyOf(place), held('me')))
  return () => place.store.leases.remove(found)
}

const labelled = ({ object }: StoredLease) => ({
  ...object,
  metadata: { ...object.metadata, labels: { by: 'me' } },
})

const leaseWrites: readonly LostWrite[] = [
  ...(['put', 'patch'] as const).map((by) => ({
    name: `a beat by ${by}`,
    prepare: renewing(host, by),
    rival: leaseRival(host),
    lost: onlyAlone,
    unsent: onlyAlone,
  })),
  ...(['put', 'patch'] as const).map((by) => ({
    name: `a renewal of a lock by ${by}`,
    prepare: renewing(lock, by),
    rival: leaseRival(lock),
    // After two new labels the renewTime is still there, but no longer all that a PUT has written.
    lost: answers('done', 'done', by === 'patch' ? 'done' : 'unknown', 'unknown', 'unknown'),
    unsent: onlyAlone,
  })),
  ...Object.entries({
    'a takeover of a lock': (found: StoredLease) => withSpec(found, held('me', beat)),
    'a release of a lock': (found: StoredLease) => withSpec(found, { holderIdentity: '' }),
    'a new label of a lock': labelled,
  }).map(([name, change]) => ({
    name,
    prepare: replacingLease(lock, change),
    rival: leaseRival(lock),
    lost: byIds,
    unsent: answers('done', 'refused', 'unknown', 'refused', 'unknown'),
  })),
  {
    name: 'a new label of a node lease',
    prepare: replacingLease(host, labelled),
    rival: leaseRival(host),
    lost: onlyAlone,
    unsent: onlyAlone,
  },
  {
    name: 'the creation of a lock',
    prepare: creatingLease(lock),
    rival: leaseRival(lock),
    lost: answers('done', 'done', 'done', 'done', 'unknown'),
    unsent: answers('done', 'refused', 'unknown', 'done', 'refused'),
  },
  {
    name: 'the creation of a node lease',
    prepare: creatingLease(host),
    rival: leaseRival(host),
    lost: all('done'),
    unsent: answers('done', 'unknown', 'unknown', 'done', 'unknown'),
  },
  {
    name: 'the deletion of a lock',
    prepare: removingLease(lock),
    rival: leaseRival(lock),
    // Where the lock is gone, a rival's change creates it, directly after our tombstone.
    lost: answers('done', 'done', 'unknown', 'done', 'done'),
    unsent: answers('done', 'refused', 'refused', 'refused', 'unknown'),
  },
  {
    name: 'the deletion of a node lease',
    prepare: removingLease(host),
    rival: leaseRival(host),
    lost: all('done'),
    unsent: answers('done', 'refused', 'refused', 'unknown', 'unknown'),
  },
]

// ---- objects and records ------------------------------------------------------------------------

const committing =
  (steps: (place: Place) => Promise<readonly WriteStep[]>) =>
  async (place: Place): Promise<() => Promise<Commit>> => {
    const made = await steps(place)
    return () => place.store.commit(made)
  }

const stored = ({ store, id }: Place, extra: Record<string, unknown> = {}): Promise<StoredObject> =>
  add(store, 'nodes', node(id, extra))

const images = { status: { images: [{ names: ['x'], sizeBytes: 1 }] } }
const mine = { labels: { by: 'me' } }

async function putRecord({ store, id: name }: Place): Promise<number> {
  const put = await store.commit([{ do: 'putRecord', name, value: 1 }])
  if (put.kind !== 'committed') throw new Error('expected the record to be put')
  return put.versions[0]!
}

const creating =
  (extra: Record<string, unknown>) =>
  async ({ id }: Place): Promise<readonly WriteStep[]> => [
    { do: 'createObject', resource: 'nodes', object: node(id, extra), fields: {} },
  ]

/** Every replacement knows the version that it replaced, so the first rival proves that it was first. */
const replacement = {
  rival: nodeRival,
  lost: answers('done', 'done', 'unknown', 'done', 'done'),
  unsent: answers('done', 'refused', 'unknown', 'refused', 'refused'),
}
/** Proven by the tombstone of the uid, whatever has happened since. */
const creation = {
  rival: nodeRival,
  lost: all('done'),
  unsent: answers('done', 'refused', 'refused', 'done', 'refused'),
}
const deletion = {
  rival: nodeRival,
  lost: all('done'),
  unsent: answers('done', 'refused', 'refused', 'refused', 'refused'),
}

const objectWrites: readonly LostWrite[] = [
  { name: 'the creation of a node', prepare: committing(creating({})), ...creation },
  {
    name: 'the creation of a node with images',
    prepare: committing(creating(images)),
    ...creation,
  },
  {
    name: 'an update of a node',
    prepare: committing(async (place) => [replacing(await stored(place), mine)]),
    ...replacement,
  },
  {
    name: 'an update of a node and its images',
    prepare: committing(async (place) => [
      replacing(await stored(place, images), mine, { status: {} }),
    ]),
    ...replacement,
  },
  {
    name: 'the deletion of a node',
    prepare: committing(async (place) => [{ do: 'deleteObject', believed: await stored(place) }]),
    ...deletion,
  },
  {
    name: 'the deletion of a node with its lease',
    prepare: committing(async (place) => [
      { do: 'deleteObject', believed: await stored(place) },
      { do: 'dropLease', key: host(place) },
    ]),
    ...deletion,
  },
  {
    name: 'the creation of a record',
    prepare: committing(async ({ id: name }) => [{ do: 'putRecord', name, value: 1 }]),
    rival: recordRival,
    lost: all('done'),
    unsent: answers('done', 'unknown', 'unknown', 'done', 'unknown'),
  },
  {
    name: 'an update of a record',
    prepare: committing(async (place) => [
      { do: 'putRecord', name: place.id, value: 2, believed: await putRecord(place) },
    ]),
    rival: recordRival,
    lost: onlyAlone,
    unsent: onlyAlone,
  },
  {
    name: 'the deletion of a record',
    prepare: committing(async (place) => [
      { do: 'dropRecord', name: place.id, believed: await putRecord(place) },
    ]),
    rival: recordRival,
    lost: all('done'),
    unsent: onlyAlone,
  },
]

// ---- transactions -------------------------------------------------------------------------------

const transactions: readonly LostWrite[] = [
  {
    name: 'a mark, whose node changes',
    prepare: committing(markSteps),
    ...replacement,
  },
  {
    name: 'a mark, whose host beats',
    prepare: committing(markSteps),
    rival: leaseRival(host),
    // The node proves it, whatever has become of the lease.
    lost: all('done'),
    unsent: answers('done', 'refused', 'refused', 'refused', 'refused'),
  },
  {
    name: 'a taint with the token of its zone, whose node changes',
    prepare: committing(taintSteps),
    rival: nodeRival,
    // The record of the zone proves it, whatever has become of the node.
    lost: all('done'),
    unsent: answers('done', 'refused', 'refused', 'refused', 'refused'),
  },
  {
    name: 'a taint with the token of its zone, which another takes',
    prepare: committing(taintSteps),
    rival: recordRival,
    lost: all('done'),
    unsent: answers('done', 'refused', 'refused', 'refused', 'refused'),
  },
  {
    name: 'the creation of a pod on a host',
    prepare: committing(async (place) => {
      const object = pod('default', `${place.id}-pod`, place.id)
      return [
        { do: 'createObject', resource: 'pods', object, fields: podFields(place.id) },
        { do: 'raiseInbox', nodeName: place.id },
      ]
    }),
    rival: leaseRival(host),
    lost: all('done'),
    unsent: all('done'),
  },
  {
    name: 'the own grace of a node',
    prepare: committing(async (place) => {
      await created(place.store, lease(host(place), held(place.id)))
      return [{ do: 'setOwnGrace', nodeName: place.id, ownGraceMs: 9_000 }]
    }),
    rival: leaseRival(host),
    lost: all('done'),
    unsent: answers('done', 'done', 'done', 'unknown', 'done'),
  },
]

async function markSteps(place: Place): Promise<readonly WriteStep[]> {
  const { version, key } = await created(place.store, lease(host(place), held(place.id)))
  return [
    { do: 'declareSilent', lease: { key, version }, declaredAtMs: 9 },
    replacing(await stored(place), mine),
  ]
}

async function taintSteps(place: Place): Promise<readonly WriteStep[]> {
  return [
    { do: 'putRecord', name: place.id, value: 2, believed: await putRecord(place) },
    replacing(await stored(place), mine),
  ]
}

export const lostWrites: readonly LostWrite[] = [...leaseWrites, ...objectWrites, ...transactions]
