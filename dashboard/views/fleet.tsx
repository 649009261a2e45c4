/** The whole fleet at a glance: is anything wrong, where, since when, what comes next? */
import { useMemo } from 'preact/hooks'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { paths } from '../api/paths.ts'
import { fleetFeatures } from '../features.ts'
import { useFleetStatus } from '../page/fleet-status.ts'
import { navigate, type ViewRoute } from '../page/navigation.ts'
import { PauseSwitch } from '../page/pause-switch.tsx'
import { useWatch } from '../page/use-watch.ts'
import { filterOf, filterQuery, isFiltering, nodeMatcher } from '../state/filter.ts'
import { pausedBecause } from '../state/fleet-objects.ts'
import type { Query } from '../state/query.ts'
import { sumCounts, zoneNodesOf, zoneViews } from '../state/zone-view.ts'
import { FilterBar } from './filter-bar.tsx'
import type { NodeSource } from './fleet-feature.ts'
import { FleetSummaryHead } from './fleet-summary.tsx'
import { NodeList } from './node-list.tsx'
import { useLabelSelector } from './use-label-selector.ts'
import { ZoneCard } from './zone-card.tsx'

export const fleetRoute: ViewRoute = {
  view: 'fleet',
  title: () => 'Fleet',
  menu: {},
  View: FleetView,
}

const nodeObjects: NodeSource = { path: paths.nodes, read: zoneNodesOf }
const { path, read } = fleetFeatures.find(({ nodeSource }) => nodeSource)?.nodeSource ?? nodeObjects

/** Where the server allows no watch. */
const POLL_MS = 4_000

function FleetView({ query }: { readonly query: Query }) {
  const { zones, fleet, isLoaded } = useFleetStatus()
  const list = useWatch<KubeObject>({ path, watch: true, pollMs: POLL_MS })
  const filter = useMemo(() => filterOf(query), [query])
  const labelled = useLabelSelector(filter.labels)
  const views = useMemo(
    () => zoneViews(Array.from(list.items.values(), read), zones),
    [list.items, zones],
  )
  const matches = useMemo(() => nodeMatcher(filter, labelled.names), [filter, labelled.names])
  const shown = useMemo(
    () => views.filter(({ name }) => filter.zone === '' || filter.zone === name),
    [views, filter.zone],
  )

  if (list.refused) return <p class="panel refusal">{list.refused}</p>
  if (!list.isLoaded || !isLoaded) return <p class="loading">Reading the fleet…</p>
  return (
    <>
      <FleetSummaryHead views={views}>
        {pausedBecause(fleet) === undefined && fleet && (
          <PauseSwitch resource="fleets" name="fleet" title="the whole fleet" isPaused={false} />
        )}
      </FleetSummaryHead>
      <FilterBar
        filter={filter}
        zones={views}
        counts={sumCounts(shown)}
        selectorError={labelled.error}
        change={(next, how) => navigate(filterQuery(next), how)}
      />
      <div class="zones">
        {shown.map((view) => (
          <ZoneCard key={view.name} view={view} matches={matches} />
        ))}
      </div>
      <NodeList views={shown} isFiltered={isFiltering(filter)} matches={matches} />
    </>
  )
}
