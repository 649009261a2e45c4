/**
 * Legend and filter in one: every state with its shape and count, to be clicked. What is chosen
 * stands in the URL.
 */
import { cellStates } from '../../shared/lifecycle/cells.ts'
import { Shape } from '../page/shape.tsx'
import type { Counts, ZoneView } from '../state/fleet-view.ts'
import { type Filter, isFiltering, noFilter, toggleState } from '../state/place.ts'
import { stateMeanings, stateNames } from '../state/state-words.ts'
import { grouped } from '../state/words.ts'

interface FilterBarProps {
  readonly filter: Filter
  readonly zones: readonly ZoneView[]
  readonly counts: Counts
  /** What is wrong with the label selector. */
  readonly trouble: string | undefined
  readonly change: (filter: Filter, how: 'push' | 'replace') => void
}

export function FilterBar({ filter, zones, counts, trouble, change }: FilterBarProps) {
  return (
    <search class="filters" aria-label="Filter nodes">
      <div class="states">
        {cellStates.map((state) => (
          <button
            key={state}
            type="button"
            class={counts[state] === 0 ? 'chip none' : 'chip'}
            aria-pressed={filter.states.includes(state)}
            title={stateMeanings[state]}
            onClick={() => change(toggleState(filter, state), 'push')}
          >
            <Shape state={state} />
            {stateNames[state]} <b>{grouped(counts[state])}</b>
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
        aria-invalid={trouble !== undefined}
        onInput={(event) => change({ ...filter, labels: event.currentTarget.value }, 'replace')}
      />
      {isFiltering(filter) && (
        <button type="button" class="small" onClick={() => change(noFilter, 'push')}>
          Show all
        </button>
      )}
      {trouble && (
        <p class="refusal" role="alert">
          {trouble}
        </p>
      )}
    </search>
  )
}
