/** What no beat needs, loaded when somebody asks for more: watches, figures and the page. */
import { fileURLToPath } from 'node:url'
import type { Store } from '../../../shared/store/ports.ts'
import { dashboardRoutes } from '../dashboard-route.ts'
import type { ApiDeps, LogEntry } from '../deps.ts'
import { metricsRoute } from '../metrics-route.ts'
import { LAMBDA_WATCHES } from '../watch/watch-settings.ts'
import { createWatch } from '../watch/watches.ts'

/** Beside the bundle: see infra/bundle.ts. */
const PAGE_FOLDER = fileURLToPath(new URL('dashboard', import.meta.url))

export interface MoreDeps {
  readonly store: Store
  readonly log: (entry: LogEntry) => void
  readonly maxWatches: number
  /** Behind an ingress that buffers, a watch would say nothing until it is over. */
  readonly isBuffered: boolean
}

export function moreOf({ store, log, maxWatches, isBuffered }: MoreDeps): Partial<ApiDeps> {
  const settings = { ...LAMBDA_WATCHES, maxWatches }
  const watches = createWatch({ store, clock: Date.now, random: Math.random, log, settings })
  return {
    ...(!isBuffered && { watch: watches.serve }),
    routes: [metricsRoute({ store, clock: Date.now }), ...dashboardRoutes(PAGE_FOLDER)],
  }
}
