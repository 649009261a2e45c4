/**
 * A fleet under attack on virtual time: the api as it ships, a monitor with its canary, hosts that
 * beat, and tables that answer as DynamoDB does when too much is asked of one item.
 */
import { randomUUID } from 'node:crypto'
import { refusedBeatReporter } from '../../functions/api/refused-beats.ts'
import { createCanary } from '../../functions/monitor/canary.ts'
import { createMonitor } from '../../functions/monitor/loop.ts'
import type { Fleet } from '../../shared/kube/fleet/resource.ts'
import { defaultSettings } from '../../shared/lifecycle/settings.ts'
import { retryWrite } from '../../shared/store/dynamo/retry.ts'
import type { Renewal, Store } from '../../shared/store/ports.ts'
import { idle, virtualTime } from '../virtual-time.ts'
import {
  beat,
  HOST,
  type Joined,
  joinHost,
  type Service,
  START_MS,
  startService,
} from './service.ts'

export const GRACE_MS = 10_000
const BEAT_MS = 2_500
/** Writes of one item at once, beyond which DynamoDB refuses some. */
const TOGETHER = 8
/** What an item may hold, of which a lease is nearly all. */
const ITEM_BYTES = 400 * 1024

export interface Host extends Joined {
  isUp: boolean
  /** When its last beat was accepted. */
  beatAtMs: number
}

/** Fails as the table would, through the store's own retries: see `retry.ts`. */
type TableError = 'ValidationException' | 'TransactionConflictException' | 'ThrottlingException'

export type BesiegedFleet = Awaited<ReturnType<typeof besiegedFleet>>

export async function besiegedFleet(count: number) {
  // Keys are imported and signatures checked in real time: virtual time waits for who beats.
  const beating = new Set<Promise<unknown>>()
  const during = async <T>(work: Promise<T>): Promise<T> => {
    beating.add(work)
    return await work.finally(() => beating.delete(work))
  }
  const time = virtualTime(START_MS, async () => {
    await idle()
    await Promise.allSettled(beating)
    await idle()
  })
  const throttled = new Set<string>()
  const service: Service = await startService({
    clock: time.now,
    wrap: (store) => withTable(store, time.now, throttled),
    deps: { onRefusedBeat: (refused) => reporter.note(refused) },
  })
  const { store } = service
  const onTrouble = () => {}
  const reporter = refusedBeatReporter({ store, clock: time.now, processId: 'p', onTrouble })
  every(time, 1_000, async () => reporter.flush())

  const hosts: Host[] = []
  for (let at = 0; at < count; at += 1) {
    const joined = await joinHost(service, `host-${at}`, READY)
    hosts.push({ ...joined, isUp: true, beatAtMs: time.now() })
  }
  for (const host of hosts) {
    await renew(service, host)
    every(time, BEAT_MS, async () => host.isUp && (await during(renew(service, host))))
  }
  const stop = await startMonitor(service, time, during)
  return {
    ...service,
    time,
    hosts,
    throttled,
    stop,
    every: (everyMs: number, act: () => Promise<unknown>) => every(time, everyMs, act),
    ready: async (name: string) => {
      const node = (await service.call('GET', `/api/v1/nodes/${name}`)).body
      return readyIn(node)?.status as string | undefined
    },
    isBlind: async () => {
      const found = await store.objects.get('fleets', { namespace: '', name: 'fleet' })
      return (found?.object as Fleet | undefined)?.status?.blind
    },
  }
}

const condition = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-02T03:04:05Z' }
const READY = { conditions: [condition] }

// biome-ignore lint/suspicious/noExplicitAny: whatever the api answered
const readyIn = (node: any) =>
  node?.status?.conditions?.find(({ type }: { type: string }) => type === 'Ready')

async function renew(service: Service, host: Host): Promise<void> {
  const { status } = await beat(service, host)
  if (status === 200) host.beatAtMs = service.clock()
}

type Time = ReturnType<typeof virtualTime>

/** Until the test ends: time then stands still. */
function every(time: Time, everyMs: number, act: () => Promise<unknown> | undefined): void {
  time.after(everyMs, () => {
    void act()
    every(time, everyMs, act)
  })
}

async function startMonitor(
  service: Service,
  time: Time,
  during: <T>(work: Promise<T>) => Promise<T>,
): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const canary = { user: 'leasehold:canary', groups: ['leasehold:canary'] }
  const token = await service.sign('node', canary)
  const sendCanary = createCanary({
    server: HOST,
    // A signal by the real clock has no place here.
    fetch: (url, { signal: _, ...init }) => service.entry.fetch(new Request(url, init)),
    token: async () => token,
  })
  const monitor = createMonitor(
    {
      store: service.store,
      settings: { ...defaultSettings, nodeMonitorGracePeriodMs: GRACE_MS },
      clock: time.now,
      sleep: time.sleep,
      random: () => 0.5,
      uuid: randomUUID,
      log: () => {},
      canary: (nowMs) => during(sendCanary(nowMs)),
    },
    { lifetimeMs: Number.POSITIVE_INFINITY, endWhenEmpty: false },
  )
  const running = monitor.run(stopping.signal)
  return async () => {
    stopping.abort()
    await time.until(running)
  }
}

function withTable(store: Store, clock: () => number, throttled: ReadonlySet<string>): Store {
  const writing = new Map<string, number>()
  const policy = { clock, sleep: async () => {}, random: () => 0.5, budgetMs: 6_000 }
  const refusal = ({ key, spec, object }: Renewal): TableError | undefined => {
    if (throttled.has(key.name)) return 'ThrottlingException'
    if (JSON.stringify({ spec, object }).length > ITEM_BYTES / 2) return 'ValidationException'
    const together = writing.get(key.name) ?? 0
    return together > TOGETHER ? 'TransactionConflictException' : undefined
  }
  const renewOnce = async (renewal: Renewal) => {
    const name = refusal(renewal)
    if (!name) return await store.leases.renew(renewal)
    throw Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } })
  }
  return {
    ...store,
    leases: {
      ...store.leases,
      async renew(renewal) {
        const { name } = renewal.key
        writing.set(name, (writing.get(name) ?? 0) + 1)
        // So that those who came together meet.
        await new Promise((resolve) => setImmediate(resolve))
        try {
          return await retryWrite(policy, () => renewOnce(renewal))
        } finally {
          writing.set(name, writing.get(name)! - 1)
        }
      },
    },
  }
}
