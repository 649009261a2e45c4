/**
 * The api with watches over a store in memory, whose clock, index and stamps do as they are told.
 */

import type { WatchSettings } from '../../../../functions/api/watch/watch-limits.ts'
import {
  createWatchServer,
  type WatchServer,
} from '../../../../functions/api/watch/watch-server.ts'
import type { KubeObject } from '../../../../shared/kube/objects.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { Key, Store } from '../../../../shared/store/ports.ts'
import { putStep, resourceNamed } from '../../../builders/stored-object.ts'
import { idle, type VirtualTime, virtualTime } from '../../../virtual-time.ts'
import { START_MS, type World, world } from '../world.ts'

export interface Frame {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly object: any
}

export interface OpenWatch {
  readonly status: number
  readonly headers: Headers
  /** What came so far; `take` hands it over and forgets it. */
  readonly frames: Frame[]
  take(): Frame[]
  readonly state: () => 'open' | 'ended' | 'broken'
  cut(): Promise<void>
}

export interface WatchWorld extends World {
  readonly time: VirtualTime
  readonly watches: WatchServer
  watch(path: string, headers?: Record<string, string>): Promise<OpenWatch>
  /** Writes past the api, by a writer whose clock is off by so much. */
  put(plural: string, object: KubeObject, skewMs?: number): Promise<number>
  drop(plural: string, key: Key, skewMs?: number): Promise<number>
}

export interface WatchWorldOptions {
  readonly settings?: Partial<WatchSettings>
  readonly indexLagMs?: () => number
  readonly deadlineMs?: () => number | undefined
  /** Wraps the store before anybody gets it. */
  readonly wrap?: (store: Store) => Store
}

export function watchWorld(options: WatchWorldOptions = {}): WatchWorld {
  const { settings = {}, indexLagMs = () => 0, wrap = (store) => store } = options
  const time = virtualTime(START_MS)
  let skewMs = 0
  // Only the stamp is skewed: the index is as late as it is told to be, by the true clock.
  const inner = memoryStore({
    clock: () => time.now() + skewMs,
    indexLagMs: () => indexLagMs() - skewMs,
  })
  const store = wrap(inner)
  const log: unknown[] = []
  const watches = createWatchServer({
    store,
    clock: time.now,
    random: () => 0.5,
    log: (entry) => log.push(entry),
    timers: time,
    settings,
    ...(options.deadlineMs && { deadlineMs: options.deadlineMs }),
  })
  const base = world({ store, clock: time.now, watch: watches.serve })

  const skewed = async (ms: number, write: () => ReturnType<Store['commit']>) => {
    skewMs = ms
    // The store in memory does all of a commit before it first lets go.
    const writing = write()
    skewMs = 0
    const outcome = await writing
    if (outcome.kind !== 'committed') throw new Error('a test wrote over something else')
    return outcome.versions[0]!
  }

  const put = async (plural: string, object: KubeObject, ms = 0) => {
    const step = await putStep(inner, plural, object)
    return await skewed(ms, () => inner.commit([step]))
  }

  const drop = async (plural: string, key: Key, ms = 0) => {
    const believed = await inner.objects.get(plural, key)
    if (!believed) throw new Error('a test deletes what is not there')
    return await skewed(ms, () => inner.commit([{ do: 'deleteObject', believed }]))
  }

  const watch = async (path: string, headers: Record<string, string> = {}) => {
    const response = await base.app.request(path, {
      headers: { authorization: 'Bearer admin', ...headers },
    })
    const open = reading(response)
    await idle()
    return open
  }
  return { ...base, time, watches, watch, put, drop }
}

function reading(response: Response): OpenWatch {
  const frames: Frame[] = []
  let state: 'open' | 'ended' | 'broken' = 'open'
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const line of lines) frames.push(JSON.parse(line) as Frame)
    }
  }
  const reads = read().then(
    () => {
      state = 'ended'
    },
    () => {
      state = 'broken'
    },
  )
  return {
    status: response.status,
    headers: response.headers,
    frames,
    take: () => frames.splice(0),
    state: () => state,
    async cut() {
      await reader.cancel()
      await reads
    },
  }
}

let uids = 0

/** A new object of its kind; replacing an old one keeps the uid of the old. */
export function thing(
  plural: string,
  name: string,
  labels: Record<string, string> = {},
): KubeObject {
  const { kind, group, namespaced } = resourceNamed(plural)
  uids += 1
  return {
    apiVersion: group ? `${group}/v1` : 'v1',
    kind,
    metadata: {
      name,
      ...(namespaced && { namespace: 'default' }),
      uid: `uid-${uids}`,
      labels,
    },
  }
}

export const shown = (frames: readonly Frame[]): string[] =>
  frames.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code ?? ''}`.trim())
