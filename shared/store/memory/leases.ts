import { leaseTaken } from '../announcement.ts'
import {
  createdLease,
  type LeaseChange,
  type LeaseState,
  markLeft,
  nodeLeaseNamespace,
  ownerUidOf,
  refusedRenewal,
  renewedLease,
  replacedLease,
  storedLease,
} from '../lease-state.ts'
import { keyText } from '../object-state.ts'
import type { Beat, Leases } from '../ports.ts'
import type { Memory } from './state.ts'

/** As much as a page of a scan holds, about. */
const pageLength = 1_000

export function memoryLeases(memory: Memory): Leases {
  const { leases, ghosts, clock, stamp } = memory

  const outrun = (found: LeaseState | undefined) => ({
    kind: 'outrun' as const,
    ...(found && { found: storedLease(found) }),
  })

  const land = (change: LeaseChange, before: { holderIdentity?: string } | undefined) => {
    const id = keyText(change.state.key)
    leases.set(id, change.state)
    ghosts.delete(id)
    const news = leaseTaken(change, before, clock())
    if (!news) return
    const { value, expiresAtMs } = news
    memory.records.set(news.name, { version: value.version, value, expiresAtMs })
  }

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

    async renew(renewal) {
      const id = keyText(renewal.key)
      const found = leases.get(id)
      if (!found) return { kind: 'missing' }
      const refusal = refusedRenewal(found, renewal)
      if (refusal) return refusal
      const at = { nowMs: clock(), version: stamp(found.version) }
      const state = renewedLease(found, renewal, at)
      leases.set(id, state)
      return { kind: 'renewed', lease: storedLease(state) }
    },

    async create(lease) {
      const { name = '', namespace = '' } = lease.metadata
      const id = keyText({ namespace, name })
      const found = leases.get(id)
      if (found) return outrun(found)
      const ghost = ghosts.get(id) ?? {}
      const change = createdLease(lease, ghost, { nowMs: clock(), version: stamp(0) })
      land(change, ghost.mark === undefined ? undefined : {})
      return { kind: 'created', now: storedLease(change.state) }
    },

    async replace(lease, believed) {
      const found = leases.get(keyText(believed.key))
      if (found?.version !== believed.version || found.uid !== believed.uid) return outrun(found)
      const at = { nowMs: clock(), version: stamp(found.version) }
      const change = replacedLease(found, lease, at)
      if (change === 'held') return { kind: 'held', found: storedLease(found) }
      land(change, found.spec)
      return { kind: 'replaced', now: storedLease(change.state) }
    },

    async remove(believed) {
      const id = keyText(believed.key)
      const found = leases.get(id)
      if (found?.version !== believed.version || found.uid !== believed.uid) return outrun(found)
      leases.delete(id)
      const mark = markLeft(found)
      if (mark !== undefined) ghosts.set(id, { mark })
      return { kind: 'removed', now: storedLease(found) }
    },

    async *scan(namespace) {
      for (const page of pages(leases, namespace)) yield page.map(storedLease)
    },

    async *beats() {
      for (const page of pages(leases, nodeLeaseNamespace)) yield page.map(beatOf)
    },
  }
}

export function beatOf(state: LeaseState): Beat {
  const ownerUid = ownerUidOf(state.meta)
  const { receivedAtMs, declaredAtMs, ownGraceMs } = state
  return {
    name: state.key.name,
    version: state.version,
    holderIdentity: state.spec.holderIdentity ?? '',
    ...(receivedAtMs !== undefined && { receivedAtMs }),
    ...(ownerUid !== undefined && { ownerUid }),
    ...(declaredAtMs !== undefined && { declaredAtMs }),
    ...(ownGraceMs !== undefined && { ownGraceMs }),
  }
}

function* pages(leases: Map<string, LeaseState>, namespace: string | undefined) {
  const all = [...leases.values()].filter(
    ({ key }) => namespace === undefined || key.namespace === namespace,
  )
  for (let at = 0; at < all.length; at += pageLength) yield all.slice(at, at + pageLength)
}
