/** The full api as Lambda serves it: with watches, metrics and the dashboard's files. */
import { fileURLToPath } from 'node:url'
import type { ApiDeps } from '../deps.ts'
import type { FetchHandler } from '../entry.ts'
import { createFullApi } from '../full-api.ts'
import { dashboardRoutes } from '../routes/dashboard-route.ts'
import { metricsRoute } from '../routes/metrics-route.ts'
import { LAMBDA_WATCHES } from '../watch/watch-limits.ts'
import { createWatchServer } from '../watch/watch-server.ts'

/** Beside the bundle: see infra/bundle.ts. */
const PAGE_FOLDER = fileURLToPath(new URL('dashboard', import.meta.url))

interface LambdaOptions {
  readonly maxWatches: number
  /** Behind an ingress that buffers, a watch would send nothing until it is over. */
  readonly isBuffered: boolean
}

export function lambdaFullApi(
  deps: ApiDeps,
  { maxWatches, isBuffered }: LambdaOptions,
): FetchHandler {
  const watches = createWatchServer({ ...deps, settings: { ...LAMBDA_WATCHES, maxWatches } })
  return createFullApi({
    ...deps,
    ...(!isBuffered && { watch: watches.serve }),
    routes: [metricsRoute(deps), ...dashboardRoutes(PAGE_FOLDER)],
  })
}
