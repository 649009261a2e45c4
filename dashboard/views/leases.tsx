/** Who holds which lock, for users of leader election. The leases of hosts are left to the fleet. */
import type { Lease } from '../../shared/kube/objects.ts'
import { paths, withFieldSelector } from '../api/paths.ts'
import { navigate, type ViewRoute } from '../page/navigation.ts'
import { useNow } from '../page/use-now.ts'
import { useWatch } from '../page/use-watch.ts'
import { resourceVersionMs } from '../state/fleet-objects.ts'
import { ago, until } from '../state/format.ts'
import { heldUntilMs, type LockState, lockState } from '../state/lease.ts'
import type { Query } from '../state/query.ts'

/** Leases change every few seconds and have no index: polling is cheaper than a watch. */
const POLL_MS = 5_000
const path = withFieldSelector(paths.leases, 'metadata.namespace!=kube-node-lease')

const leasesQuery = (namespace: string): Query => ({ view: 'leases', namespace })

export const leasesRoute: ViewRoute = {
  view: 'leases',
  title: () => 'Leases',
  menu: leasesQuery(''),
  View: LeasesView,
}

function LeasesView({ query: { namespace } }: { readonly query: Query }) {
  const leases = useWatch<Lease>({ path, watch: false, pollMs: POLL_MS })
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
        value={namespace ?? ''}
        onChange={(event) => navigate(leasesQuery(event.currentTarget.value))}
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

const stateText: Readonly<Record<LockState, string>> = {
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
  const state = lockState(lease, nowMs)
  const writtenMs = resourceVersionMs(lease)
  return (
    <tr class={state}>
      <td>
        <span class="dim">{lease.metadata.namespace}/</span>
        {lease.metadata.name}
      </td>
      <td>{lease.spec?.holderIdentity || '—'}</td>
      <td>
        <span class={state === 'expired' ? 'badge bad' : 'badge'}>{stateText[state]}</span>{' '}
        {state === 'held' && <span class="dim">expires {until(heldUntilMs(lease)!, nowMs)}</span>}
      </td>
      <td data-name="renewed">{writtenMs === undefined ? '' : ago(writtenMs, nowMs)}</td>
      <td class="number" data-name="transitions">
        {lease.spec?.leaseTransitions ?? 0}
      </td>
    </tr>
  )
}
