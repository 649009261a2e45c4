/** Legend and filter in one: a button per state with its shape and count, the zone, the labels. */
import { nodeStates } from '../../shared/lifecycle/liveness/node-summary.ts'
import { Shape } from '../page/shape.tsx'
import { type Filter, isFiltering, noFilter, toggleState } from '../state/filter.ts'
import { grouped } from '../state/format.ts'
import { stateLabels, stateMeanings } from '../state/node-states.ts'
import type { StateCounts, ZoneView } from '../state/zone-view.ts'

interface FilterBarProps {
  readonly filter: Filter
  readonly zones: readonly ZoneView[]
  readonly counts: StateCounts
  readonly selectorError: string | undefined
  readonly change: (filter: Filter, how: 'push' | 'replace') => void
}

export function FilterBar({ filter, zones, counts, selectorError, change }: FilterBarProps) {
  return (
    <search class="filters" aria-label="Filter nodes">
      <div class="states">
        {nodeStates.map((state) => (
          <button
            key={state}
            type="button"
            class={counts[state] === 0 ? 'chip none' : 'chip'}
            aria-pressed={filter.states.includes(state)}
            title={stateMeanings[state]}
            onClick={() => change(toggleState(filter, state), 'push')}
          >
            <Shape state={state} />
            {stateLabels[state]} <b>{grouped(counts[state])}</b>
          </button>
        ))}
      </div>
      <select
        aria-label="Zone"
        value={filter.zone}
        onChange={(event) => change({ ...filter, zone: event.currentTarget.value }, 'push')}
      >
        <option value="">all zones</option>
        {zones.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Label selector"
        placeholder="labels: role=web,tier!=test"
        spellcheck={false}
        value={filter.labels}
        aria-invalid={selectorError !== undefined}
        onInput={(event) => change({ ...filter, labels: event.currentTarget.value }, 'replace')}
      />
      {isFiltering(filter) && (
        <button type="button" class="small" onClick={() => change(noFilter, 'push')}>
          Show all
        </button>
      )}
      {selectorError && (
        <p class="refusal" role="alert">
          {selectorError}
        </p>
      )}
    </search>
  )
}
