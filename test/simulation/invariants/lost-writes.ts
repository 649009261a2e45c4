/**
 * 7. Nothing acknowledged is lost: no write buries another, and the monitor touches only what is
 * its own.
 */
import type { Node, Pod } from '../../../shared/kube/objects.ts'
import type { ObjectChange, Write } from '../observed-store.ts'
import { Broken, type Invariant } from './invariant.ts'
import { nodeActions } from './observed-actions.ts'

export const noWriteIsLost: Invariant = {
  onWrite(_truth, write) {
    for (const change of write.changes) {
      if (change.what !== 'object') continue
      checkChain(change)
      if (write.by.kind === 'monitor' && change.resource === 'nodes') checkNodeBeat(change)
      if (write.by.kind === 'monitor' && change.resource === 'pods') checkPod(change)
    }
    checkNodes(write)
  },
}

function checkChain({ resource, id, before, after, believed }: ObjectChange): void {
  if (before?.version !== believed)
    throw new Broken('7 keeping', `${resource}${id}: written over ${before?.version}, unseen`)
  if (before && after && before.uid === after.uid && after.version <= before.version)
    throw new Broken('7 keeping', `${resource}${id}: its version falls`)
}

/** What the monitor writes is no sign of life. */
function checkNodeBeat({ id, before, after }: ObjectChange): void {
  if (after && before && after.receivedAtMs !== before.receivedAtMs)
    throw new Broken('7 keeping', `nodes${id}: the monitor gave it a beat`)
}

function checkNodes(write: Write): void {
  for (const { name, before, after } of nodeActions(write)) {
    for (const [what, read] of Object.entries(THEIRS)) {
      if (read(before) !== read(after))
        throw new Broken('7 keeping', `nodes/${name}: the monitor changed its ${what}`)
    }
  }
}

const text = (thing: unknown) => JSON.stringify(thing ?? null)
/** Says what is held back, and is the monitor's own. */
const HELD = 'EvictionHeld'
const VOUCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** What belongs to hosts and people. */
const THEIRS: Readonly<Record<string, (node: Node) => string>> = {
  cordon: ({ spec }) => text(spec?.unschedulable),
  taints: ({ spec }) =>
    text((spec?.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/'))),
  zone: ({ metadata }) => text(metadata.labels?.['topology.kubernetes.io/zone']),
  annotations: ({ metadata }) =>
    text(Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.includes('held'))),
  conditions: ({ status }) =>
    text((status?.conditions ?? []).filter(({ type }) => !VOUCHED.includes(type) && type !== HELD)),
  addresses: ({ status }) => text(status?.addresses),
}

function checkPod({ id, before, after }: ObjectChange): void {
  if (!before || !after) return
  if (text((before.object as Pod).spec) !== text((after.object as Pod).spec))
    throw new Broken('7 keeping', `pods ${id}: the monitor changed what it is`)
}
