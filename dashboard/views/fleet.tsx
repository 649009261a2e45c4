/** The whole fleet at a glance: is anything wrong, where, since when, what comes next. */
import { useMemo } from 'preact/hooks'
import type { Cell, Cells } from '../../shared/lifecycle/cells.ts'
import { paths, useStatus } from '../page/fleet-status.ts'
import { go } from '../page/navigation.ts'
import { PauseSwitch } from '../page/pause-switch.tsx'
import { useFollowed } from '../page/use-followed.ts'
import { pausedBecause } from '../state/fleet-objects.ts'
import { sumCounts, zoneViews } from '../state/fleet-view.ts'
import type { Filter } from '../state/place.ts'
import { FilterBar } from './filter-bar.tsx'
import { NodeList } from './node-list.tsx'
import { useLabelled } from './use-labelled.ts'
import { VerdictHead } from './verdict-head.tsx'
import { ZoneCard } from './zone-card.tsx'

/** Where watches are not to be had. */
const POLL_MS = 4_000

export function FleetView({ filter }: { readonly filter: Filter }) {
  const { zones, fleet } = useStatus()
  const parts = useFollowed<Cells>({ path: paths.cells, watch: true, pollMs: POLL_MS })
  const labelled = useLabelled(filter.labels)
  const views = useMemo(() => zoneViews(parts.items.values(), zones), [parts.items, zones])
  const isShown = useMemo(() => shownBy(filter, labelled.names), [filter, labelled.names])
  const shown = useMemo(
    () => views.filter(({ name }) => filter.zone === '' || filter.zone === name),
    [views, filter.zone],
  )

  if (parts.refused) return <p class="panel refusal">{parts.refused}</p>
  if (!parts.isLoaded) return <p class="loading">Reading the fleet…</p>
  return (
    <>
      <VerdictHead views={views}>
        {pausedBecause(fleet) === undefined && fleet && (
          <PauseSwitch resource="fleets" name="fleet" title="the whole fleet" isPaused={false} />
        )}
      </VerdictHead>
      <FilterBar
        filter={filter}
        zones={views}
        counts={sumCounts(shown)}
        trouble={labelled.trouble}
        change={(next, how) => go({ view: 'fleet', filter: next }, how)}
      />
      <div class="zones">
        {shown.map((view) => (
          <ZoneCard key={view.name} view={view} isShown={isShown} />
        ))}
      </div>
      <NodeList views={shown} filter={filter} isShown={isShown} />
    </>
  )
}

export type IsShown = (cell: Cell) => boolean

function shownBy({ states }: Filter, names: ReadonlySet<string> | undefined): IsShown {
  return ({ name, state }) =>
    (states.length === 0 || states.includes(state)) && (names === undefined || names.has(name))
}
