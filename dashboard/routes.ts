/** The views of the page, a line each. Where the URL names none of them, the fleet is shown. */
import type { ViewRoute } from './page/navigation.ts'
import { activityRoute } from './views/activity.tsx'
import { leasesRoute } from './views/leases.tsx'
import { nodeRoute } from './views/node.tsx'

export const routes: readonly ViewRoute[] = [
  // In the order of the menu.
  leasesRoute,
  activityRoute,
  nodeRoute,
]
