/**
 * The monitor of local mode: one that never hands over, with a canary that takes the way hosts
 * take.
 */
import { randomUUID } from 'node:crypto'
import { canaryTokens, createCanary } from '../functions/monitor/canary.ts'
import { createMonitor } from '../functions/monitor/loop.ts'
import { patient } from '../functions/monitor/patient.ts'
import type { Settings } from '../shared/lifecycle/settings.ts'
import type { Store } from '../shared/store/ports.ts'
import { caFetch } from './ca-fetch.ts'
import type { DataFolder } from './data-folder.ts'
import { fileSigner } from './keys.ts'
import type { LocalLog } from './log.ts'

export interface LocalMonitor {
  readonly store: Store
  readonly settings: Settings
  readonly data: DataFolder
  readonly api: string
  readonly caPem: string
  readonly log: LocalLog
}

/** Another monitor on the same tables may have the turn; it is asked for again after this. */
const AGAIN_MS = 2_000

export function startMonitor(plan: LocalMonitor): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = watchOver(plan, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function watchOver(plan: LocalMonitor, signal: AbortSignal): Promise<void> {
  const monitor = createMonitor(
    {
      store: plan.store,
      settings: plan.settings,
      clock: Date.now,
      sleep: patient,
      random: Math.random,
      uuid: randomUUID,
      log: plan.log.entry,
      canary: createCanary({
        server: plan.api,
        fetch: caFetch(plan.caPem),
        token: canaryTokens(() => fileSigner(plan.data, 'node')),
      }),
    },
    { lifetimeMs: Number.POSITIVE_INFINITY, endWhenEmpty: false },
  )
  while (!signal.aborted) {
    try {
      await monitor.run(signal)
    } catch (error) {
      plan.log.entry({ level: 'error', message: 'the monitor stumbled and starts again', error })
    }
    await patient(AGAIN_MS, signal)
  }
}
