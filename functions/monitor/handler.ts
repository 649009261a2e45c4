/** The entry of the monitor's Lambda: ticks until a successor takes over, and ends in good time. */
import type { Context } from 'aws-lambda'
import { lambdaDeps } from './lambda-monitor.ts'
import { lifetimeMs } from './lifetime.ts'
import { createMonitor } from './loop.ts'

const deps = await lambdaDeps(process.env)

export async function handler(_event: unknown, context: Context): Promise<string> {
  const remainingMs = context.getRemainingTimeInMillis()
  const life = { lifetimeMs: lifetimeMs(deps.settings.nodeMonitorPeriodMs, remainingMs) }
  return await createMonitor(deps, life).run(new AbortController().signal)
}
