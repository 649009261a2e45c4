import type { Beat } from '../../lifecycle/world.ts'
import { leaseTaken } from '../announcement.ts'
import {
  createdLease,
  type LeaseChange,
  type LeaseState,
  nodeLeaseNamespace,
  ownerUidOf,
  refusedRenewal,
  renewedLease,
  replacedLease,
  storedLease,
  transitionsToKeep,
} from '../lease-state.ts'
import { keyText } from '../object-state.ts'
import type { Leases } from '../ports.ts'
import type { Memory } from './state.ts'

/** About what one page of a DynamoDB scan holds. */
const pageLength = 1_000

export function memoryLeases(memory: Memory): Leases {
  const { leases } = memory
  return {
    async get(key) {
      const found = leases.get(keyText(key))
      return found && storedLease(found)
    },

    async read(keys) {
      return keys.flatMap((key) => {
        const found = leases.get(keyText(key))
        return found ? [storedLease(found)] : []
      })
    },

    async *scan({ namespaces } = {}) {
      for (const page of pages(leases, namespaces)) yield page.map(storedLease)
    },

    async *beats() {
      for (const page of pages(leases, [nodeLeaseNamespace])) yield page.map(beatOf)
    },

    ...leaseWrites(memory),
  }
}

function leaseWrites(memory: Memory): Pick<Leases, 'renew' | 'create' | 'replace' | 'remove'> {
  const { leases, leaseTombstones, clock } = memory
  const stampAfter = (previous: number) => ({ nowMs: clock(), version: memory.stamp(previous) })

  const put = (change: LeaseChange, before: { holderIdentity?: string } | undefined) => {
    const id = keyText(change.state.key)
    leases.set(id, change.state)
    leaseTombstones.delete(id)
    const announcement = leaseTaken(change, before, clock())
    if (!announcement) return
    const { name, value, expiresAtMs } = announcement
    memory.records.set(name, { version: value.version, value, expiresAtMs })
  }

  return {
    async renew(renewal) {
      const id = keyText(renewal.key)
      const found = leases.get(id)
      if (!found) return { kind: 'missing' }
      const refusal = refusedRenewal(found, renewal)
      if (refusal) return refusal
      const state = renewedLease(found, renewal, stampAfter(found.version))
      leases.set(id, state)
      return { kind: 'renewed', lease: storedLease(state) }
    },

    async create(lease) {
      const { name = '', namespace = '' } = lease.metadata
      const id = keyText({ namespace, name })
      const found = leases.get(id)
      if (found) return outrun(found)
      const tombstone = leaseTombstones.get(id) ?? {}
      const change = createdLease(lease, tombstone, stampAfter(0))
      put(change, tombstone.leaseTransitions === undefined ? undefined : {})
      return { kind: 'created', now: storedLease(change.state) }
    },

    async replace(lease, believed, rule) {
      const found = leases.get(keyText(believed.key))
      if (found?.version !== believed.version || found.uid !== believed.uid) return outrun(found)
      const change = replacedLease(found, lease, stampAfter(found.version), rule)
      if (change === 'held') return { kind: 'held', found: storedLease(found) }
      put(change, found.spec)
      return { kind: 'replaced', now: storedLease(change.state) }
    },

    async remove(believed) {
      const id = keyText(believed.key)
      const found = leases.get(id)
      if (found?.version !== believed.version || found.uid !== believed.uid) return outrun(found)
      leases.delete(id)
      const leaseTransitions = transitionsToKeep(found)
      if (leaseTransitions !== undefined) leaseTombstones.set(id, { leaseTransitions })
      return { kind: 'removed', now: storedLease(found) }
    },
  }
}

const outrun = (found: LeaseState | undefined) => ({
  kind: 'outrun' as const,
  ...(found && { found: storedLease(found) }),
})

function beatOf(state: LeaseState): Beat {
  const { receivedAtMs, declaredAtMs, ownGraceMs } = state
  return {
    name: state.key.name,
    version: state.version,
    holderIdentity: state.spec.holderIdentity ?? '',
    receivedAtMs,
    ownerUid: ownerUidOf(state.meta),
    declaredAtMs,
    ownGraceMs,
  }
}

function* pages(leases: Map<string, LeaseState>, namespaces: readonly string[] | undefined) {
  const all = [...leases.values()].filter(
    ({ key }) => namespaces === undefined || namespaces.includes(key.namespace),
  )
  for (let at = 0; at < all.length; at += pageLength) yield all.slice(at, at + pageLength)
}
