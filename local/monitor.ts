/**
 * The monitor of local mode: it never hands over, and its canary renews through the api, over TLS
 * and with a token, as hosts do.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { type CanaryFetch, canaryTokens, createCanary } from '../functions/monitor/canary.ts'
import { createMonitor } from '../functions/monitor/loop.ts'
import { interruptibleSleep } from '../functions/monitor/sleep.ts'
import {
  monitorLeaseKey,
  REFUSED_BEATS_KEPT_MS,
  REFUSED_BEATS_PREFIX,
  type RefusedBeats,
} from '../shared/lifecycle/record-names.ts'
import type { Settings } from '../shared/lifecycle/settings.ts'
import type { Store } from '../shared/store/ports.ts'
import type { DataFolder } from './data-folder.ts'
import { fileSigner } from './keys.ts'
import type { LocalLog } from './log.ts'

interface LocalMonitor {
  readonly store: Store
  readonly settings: Settings
  readonly data: DataFolder
  readonly api: string
  readonly caPem: string
  readonly log: LocalLog
}

/** `run` ends when another monitor on the same tables holds the lease; then it is tried again. */
const RETRY_MS = 2_000

export function startMonitor(plan: LocalMonitor): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = runMonitor(plan, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function runMonitor(plan: LocalMonitor, signal: AbortSignal): Promise<void> {
  const monitor = createMonitor(
    {
      store: plan.store,
      settings: plan.settings,
      clock: Date.now,
      sleep: interruptibleSleep,
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
      plan.log.entry({ level: 'error', message: 'the monitor failed and starts again', error })
    }
    await interruptibleSleep(RETRY_MS, signal)
  }
}

/** A fetch that trusts the CA of local mode; the global `fetch` takes no CA. */
function caFetch(ca: string): CanaryFetch {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 })
  return (url, { method, headers, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<CanaryFetch>>>()
    const options = {
      agent,
      method,
      headers: headers as Record<string, string>,
      signal: signal ?? undefined,
    }
    request(url, options, (response) => {
      const status = response.statusCode ?? 0
      resolve({ status, text: () => text(response) })
    })
      .on('error', reject)
      .end(body)
    return promise
  }
}

const DOWNTIME_RECORD = `${REFUSED_BEATS_PREFIX}downtime`

/**
 * While this process was down no host could renew its lease. A start on old data therefore reports
 * that time beside the beats that the api refuses, and the monitor does not count it as silence of
 * the hosts.
 */
export async function noteDowntime(store: Store, nowMs: number): Promise<void> {
  // The monitor renewed its lease after every tick: that is when this service last ran.
  const aliveAtMs = (await store.leases.get(monitorLeaseKey))?.receivedAtMs
  if (aliveAtMs === undefined) return
  const name = DOWNTIME_RECORD
  const believed = (await store.records.get(name))?.version
  const value: RefusedBeats = { nodes: {}, downtime: { fromMs: aliveAtMs, untilMs: nowMs } }
  const expiresAtMs = nowMs + REFUSED_BEATS_KEPT_MS
  // Outrun: another process on the same tables runs and reports for itself.
  await store.commit([{ do: 'putRecord', name, value, expiresAtMs, believed }])
}
