/** All steps or none: every belief is checked before anything is changed. */
import { nodeLeaseNamespace } from '../lease-state.ts'
import {
  ceilToSecondMs,
  changeOfState,
  createdObject,
  hasExpired,
  keyText,
  type ObjectState,
  replacedObject,
  tombstoneKeptMs,
  tombstoneOf,
  whole,
} from '../object-state.ts'
import { type Planned, plan } from '../plan.ts'
import type { Commit, StoredObject, WriteStep } from '../ports.ts'
import { collectionOf, type Memory } from './state.ts'

export function memoryCommit(memory: Memory, steps: readonly WriteStep[]): Commit {
  const planned = plan(steps)
  const wrong = planned.filter(({ step }) => !beliefHolds(memory, step)).map(({ index }) => index)
  if (wrong.length > 0) return { kind: 'outrun', steps: wrong, ...foundBy(memory, steps) }

  const versions = steps.map(() => 0)
  // Preparing a state checks its size and may throw, so all are prepared before one is applied.
  const changes = planned.map((each) => ({ each, change: prepare(memory, each) }))
  for (const { each, change } of changes) versions[each.index] = change()
  return { kind: 'committed', versions }
}

function beliefHolds(memory: Memory, step: WriteStep): boolean {
  switch (step.do) {
    case 'createObject': {
      const { name = '', namespace = '' } = step.object.metadata
      return current(memory, step.resource, keyText({ namespace, name })) === undefined
    }
    case 'replaceObject':
    case 'deleteObject':
    case 'confirmObject': {
      const { resource, key, version, uid } = step.believed
      const found = current(memory, resource, keyText(key))?.lean
      return found?.version === version && found.uid === uid
    }
    case 'confirmNoObject':
      return current(memory, step.resource, keyText(step.key)) === undefined
    case 'declareSilent':
      return memory.leases.get(keyText(step.lease.key))?.version === step.lease.version
    case 'confirmNoLease':
      return !memory.leases.has(keyText(step.key))
    case 'setOwnGrace':
      return memory.leases.has(`${nodeLeaseNamespace}/${step.nodeName}`)
    case 'putRecord':
    case 'dropRecord':
    case 'confirmRecord': {
      const found = memory.records.get(step.name)
      const live = found && !hasExpired(found, memory.clock()) ? found : undefined
      return live?.version === step.believed
    }
    default:
      return true
  }
}

/** Returns the change still to be made, which gives back the version it wrote. */
function prepare(memory: Memory, { step, times }: Planned): () => number {
  switch (step.do) {
    case 'createObject': {
      const state = createdObject(step, memory.stamp(0))
      return () => put(memory, state)
    }
    case 'replaceObject': {
      const next = replacedObject(step, memory.stamp(step.believed.version))
      const old = current(memory, next.lean.resource, keyText(next.lean.key))
      const state = withKeptImages(next, old)
      return () => put(memory, state)
    }
    case 'deleteObject':
      return () => deleteObject(memory, step.believed)
    case 'putRecord':
      return () => putRecord(memory, step)
    case 'dropRecord':
      return () => unversioned(() => memory.records.delete(step.name))
    case 'dropLease':
      return () => unversioned(() => dropLease(memory, keyText(step.key)))
    case 'declareSilent':
      return () =>
        unversioned(() => declareSilent(memory, keyText(step.lease.key), step.declaredAtMs))
    case 'raiseInbox':
      return () =>
        unversioned(() => raiseInbox(memory, `${nodeLeaseNamespace}/${step.nodeName}`, times))
    case 'setOwnGrace':
      return () => unversioned(() => setOwnGrace(memory, step))
    default:
      return () => 0
  }
}

function unversioned(change: () => void): number {
  change()
  return 0
}

function current(memory: Memory, resource: string, id: string): ObjectState | undefined {
  const found = collectionOf(memory, resource).states.get(id)
  return found && !hasExpired(found, memory.clock()) ? found : undefined
}

function withKeptImages(next: ObjectState, old: ObjectState | undefined): ObjectState {
  const kept = next.lean.imagesVersion !== undefined && !next.images
  return kept && old?.images ? { ...next, images: old.images } : next
}

function put(memory: Memory, state: ObjectState): number {
  const { resource, key, version, fields } = state.lean
  const id = keyText(key)
  const collection = collectionOf(memory, resource)
  if (!collection.states.has(id)) collection.sorted = undefined
  collection.states.set(id, state)
  const node = resource === 'pods' ? fields['spec.nodeName'] : undefined
  memory.index.put(resource, id, {
    change: changeOfState(state),
    ...(node && { node }),
    ...(state.expiresAtMs !== undefined && { expiresAtMs: state.expiresAtMs }),
  })
  return version
}

function deleteObject(memory: Memory, believed: StoredObject): number {
  const { resource, uid } = believed
  const id = keyText(believed.key)
  const collection = collectionOf(memory, resource)
  collection.states.delete(id)
  collection.sorted = undefined
  const change = tombstoneOf(believed, memory.stamp(believed.version))
  const expiresAtMs = ceilToSecondMs(memory.clock() + tombstoneKeptMs)
  memory.index.drop(resource, id)
  memory.index.put(resource, `${id}/${uid}`, { change, expiresAtMs })
  return change.version
}

function putRecord(memory: Memory, step: Extract<WriteStep, { readonly do: 'putRecord' }>): number {
  const version = memory.stamp(step.believed ?? 0)
  const value: unknown = JSON.parse(JSON.stringify(step.value))
  const ttl = step.expiresAtMs !== undefined && { expiresAtMs: ceilToSecondMs(step.expiresAtMs) }
  memory.records.set(step.name, { version, value, ...ttl })
  return version
}

function dropLease(memory: Memory, id: string): void {
  memory.leases.delete(id)
  memory.leaseTombstones.delete(id)
}

function declareSilent(memory: Memory, id: string, declaredAtMs: number): void {
  memory.leases.set(id, { ...memory.leases.get(id)!, declaredAtMs })
}

function setOwnGrace(
  memory: Memory,
  { nodeName, ownGraceMs }: Extract<WriteStep, { readonly do: 'setOwnGrace' }>,
): void {
  const id = `${nodeLeaseNamespace}/${nodeName}`
  const { ownGraceMs: _before, ...lease } = memory.leases.get(id)!
  memory.leases.set(id, { ...lease, ...(ownGraceMs !== undefined && { ownGraceMs }) })
}

function raiseInbox(memory: Memory, id: string, times: number): void {
  const lease = memory.leases.get(id)
  if (lease) memory.leases.set(id, { ...lease, inbox: lease.inbox + times })
  else
    memory.leaseTombstones.set(id, { inbox: (memory.leaseTombstones.get(id)?.inbox ?? 0) + times })
}

function foundBy(memory: Memory, steps: readonly WriteStep[]): { readonly found?: StoredObject } {
  const step = steps[0]!
  if (steps.length > 1 || !('believed' in step || 'object' in step)) return {}
  const at = objectAt(step)
  const found = at && current(memory, at.resource, at.id)
  return found ? { found: whole(found) } : {}
}

function objectAt(step: WriteStep): { readonly resource: string; readonly id: string } | undefined {
  if (step.do === 'createObject') {
    const { name = '', namespace = '' } = step.object.metadata
    return { resource: step.resource, id: keyText({ namespace, name }) }
  }
  if (step.do === 'replaceObject' || step.do === 'deleteObject' || step.do === 'confirmObject')
    return { resource: step.believed.resource, id: keyText(step.believed.key) }
  return undefined
}
