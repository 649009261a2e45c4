/**
 * Who holds which lock, for users of leader election. The leases of hosts are not here: they are
 * the fleet.
 */
import type { Lease } from '../../shared/kube/objects.ts'
import { paths, selecting } from '../page/fleet-status.ts'
import { go } from '../page/navigation.ts'
import { useFollowed } from '../page/use-followed.ts'
import { useNow } from '../page/use-now.ts'
import { writtenAtMs } from '../state/fleet-objects.ts'
import { heldUntilMs, type LeaseState, leaseState } from '../state/lease-state.ts'
import { ago, until } from '../state/words.ts'

/** Leases change every few seconds and have no index: a list now and then is the cheapest. */
const POLL_MS = 5_000
const path = selecting(paths.leases, 'metadata.namespace!=kube-node-lease')

export function LeasesView({ namespace }: { readonly namespace: string }) {
  const leases = useFollowed<Lease>({ path, watch: false, pollMs: POLL_MS })
  const all = [...leases.items.values()]
  const namespaces = [...new Set(all.map(({ metadata }) => metadata.namespace ?? ''))].sort()
  const shown = all.filter(({ metadata }) => !namespace || metadata.namespace === namespace)
  return (
    <section class="panel">
      <h1>Leases</h1>
      <p class="dim">
        A transition number never repeats: hand it on with your writes as a fencing token.
      </p>
      <select
        aria-label="Namespace"
        value={namespace}
        onChange={(event) => go({ view: 'leases', namespace: event.currentTarget.value })}
      >
        <option value="">all namespaces</option>
        {namespaces.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {leases.refused && <p class="refusal">{leases.refused}</p>}
      {leases.isLoaded && shown.length === 0 && <p class="dim">There are none.</p>}
      {shown.length > 0 && <LeaseTable leases={shown} />}
    </section>
  )
}

const stateWords: Readonly<Record<LeaseState, string>> = {
  held: 'held',
  expired: 'expired',
  free: 'free',
  forever: 'held, never expires',
}

function LeaseTable({ leases }: { readonly leases: readonly Lease[] }) {
  const nowMs = useNow()
  return (
    <table>
      <thead>
        <tr>
          <th>Lease</th>
          <th>Holder</th>
          <th>State</th>
          <th>Renewed</th>
          <th class="number">Transitions</th>
        </tr>
      </thead>
      <tbody>
        {leases.map((lease) => (
          <LeaseRow key={lease.metadata.uid} lease={lease} nowMs={nowMs} />
        ))}
      </tbody>
    </table>
  )
}

function LeaseRow({ lease, nowMs }: { readonly lease: Lease; readonly nowMs: number }) {
  const state = leaseState(lease, nowMs)
  const writtenMs = writtenAtMs(lease)
  return (
    <tr class={state}>
      <td>
        <span class="dim">{lease.metadata.namespace}/</span>
        {lease.metadata.name}
      </td>
      <td>{lease.spec?.holderIdentity || '—'}</td>
      <td>
        <span class={state === 'expired' ? 'badge bad' : 'badge'}>{stateWords[state]}</span>{' '}
        {state === 'held' && <span class="dim">expires {until(heldUntilMs(lease)!, nowMs)}</span>}
      </td>
      <td data-name="renewed">{writtenMs === undefined ? '' : ago(writtenMs, nowMs)}</td>
      <td class="number" data-name="transitions">
        {lease.spec?.leaseTransitions ?? 0}
      </td>
    </tr>
  )
}
