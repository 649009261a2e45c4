/** The entry of the monitor's Lambda: ticks until a successor takes over, and ends in good time. */
import type { Context } from 'aws-lambda'
import { lambdaDeps } from './lambda-monitor.ts'
import { createMonitor, lambdaLifetimeMs } from './loop.ts'

const deps = await lambdaDeps(process.env)

export async function handler(_event: unknown, context: Context): Promise<string> {
  const remainingMs = context.getRemainingTimeInMillis()
  const options = { lifetimeMs: lambdaLifetimeMs(deps.settings.nodeMonitorPeriodMs, remainingMs) }
  return await createMonitor(deps, options).run(new AbortController().signal)
}
