/** What others serve beside the resources: metrics, dashboard files, the token endpoint. */
import type { Hono } from 'hono'
import type { Api } from '../deps.ts'
import { guarded } from './guarded.ts'

export function mountExtra(app: Hono, api: Api): void {
  for (const { path, access, handle } of api.routes ?? []) {
    app.all(path, ({ req }) =>
      access === 'open' ? handle(req.raw, undefined) : guarded(api, req.raw, handle),
    )
  }
}
