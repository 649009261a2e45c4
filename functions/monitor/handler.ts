/** The entry of the monitor's Lambda: ticks until a successor takes over, and ends in good time. */
import type { Context } from 'aws-lambda'
import { lambdaDeps } from './lambda-monitor.ts'
import { createMonitor, LIFETIME_MS } from './loop.ts'

const deps = await lambdaDeps(process.env)

/** For the tick it is in, and for handing over. */
const RESERVE_MS = 60_000

export async function handler(_event: unknown, context: Context): Promise<string> {
  const lifetimeMs = Math.min(LIFETIME_MS, context.getRemainingTimeInMillis() - RESERVE_MS)
  return await createMonitor(deps, { lifetimeMs }).run(new AbortController().signal)
}
