/** Serves `watch=true`: a stream of events that ends in time, and breaks off when it fails. */

import type { Resource } from '../../../shared/kube/resource.ts'
import { correctedNowMs } from '../../../shared/lifecycle/clock-skew.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Key, Store } from '../../../shared/store/ports.ts'
import type { LogEntry, ResourceRequest } from '../deps.ts'
import {
  type ChangeSource,
  type ChangeSourceDeps,
  realTimers,
  type Timers,
} from './change-source.ts'
import { eventEncoder, eventStreamResponse } from './event-encoder.ts'
import { eventFilter } from './event-filter.ts'
import { watchEvents } from './event-stream.ts'
import { type LeaseTableSource, leaseSource, leaseTableSource } from './lease-source.ts'
import { objectSource } from './object-source.ts'
import { type WatchBuffer, watchBuffer } from './watch-buffer.ts'
import { LOCAL_WATCHES, type WatchSettings } from './watch-limits.ts'
import {
  versionAt,
  type WatchOptions,
  type WatchRuntime,
  watchDurationMs,
  watchOptions,
} from './watch-options.ts'
import { giveBack, keepSlot, watchSlots } from './watch-slots.ts'

interface WatchDeps extends WatchRuntime {
  readonly store: Store
  readonly log: (entry: LogEntry) => void
  /** Default: those of local mode. */
  readonly settings?: Partial<WatchSettings>
  readonly timers?: Timers
}

export interface WatchServer {
  serve(request: ResourceRequest): Promise<Response>
  /**
   * Lets a watch of leases begin from a list made after this. One scan; worth it where a process
   * lives long.
   */
  scanLeases(): Promise<void>
  /** Ends every stream, cleanly. */
  close(): void
}

export function createWatchServer(deps: WatchDeps): WatchServer {
  const { store } = deps
  const settings = { ...LOCAL_WATCHES, ...deps.settings }
  const timers = deps.timers ?? realTimers
  const now = () => correctedNowMs(deps.clock, store.skewMs)
  const sources = changeSources({ ...deps, settings, timers, now })
  const slots = watchSlots({ ...deps, ...settings, now })
  const open = new Set<WatchBuffer>()
  let isClosed = false

  const serve = async (request: ResourceRequest): Promise<Response> => {
    const options = watchOptions(request.query)
    const durationMs = watchDurationMs(options.timeoutSeconds, settings, deps)
    const slot = await slots.take(request.identity.user)
    const buffer = watchBuffer()
    open.add(buffer)
    if (isClosed) buffer.end()
    const cancelEnd = timers.after(durationMs, buffer.end)
    const stopRenewing = keepSlot(slot, { timers, log: deps.log, onLost: buffer.end })
    const close = once(async () => {
      cancelEnd()
      stopRenewing()
      open.delete(buffer)
      await giveBack(slot, deps.log)
    })
    return eventStreamResponse(events(request, options, buffer, close), async () => {
      // The stream may be waiting for changes; this wakes it to notice that its client is gone.
      buffer.end()
      await close()
    })
  }

  async function* events(
    request: ResourceRequest,
    options: WatchOptions,
    buffer: WatchBuffer,
    close: Release,
  ): AsyncGenerator<string> {
    let unsubscribe: ReturnType<ChangeSource['subscribe']> | undefined
    try {
      const source = sources.of(request)
      const isComplete = options.initialEvents
      const startVersion = (isComplete ? undefined : options.version) ?? versionAt(now())
      const filter = eventFilter({ selection: request.selection, startVersion, isComplete })
      const encoder = eventEncoder(request)
      const { receive, fail } = buffer
      unsubscribe = source.subscribe({ wants: filter.wants, receive, fail })
      const watch = { request, options, store, now, source, buffer, encoder, startVersion, filter }
      yield* watchEvents(watch)
    } catch (error) {
      deps.log({ level: 'error', message: 'a watch failed', path: request.path, error })
      throw error
    } finally {
      unsubscribe?.()
      await close()
    }
  }

  return {
    serve,
    scanLeases: () => sources.leases.scanOnce(),
    close() {
      isClosed = true
      for (const buffer of open) buffer.end()
    },
  }
}

type Release = () => Promise<void>

function once(run: Release): Release {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}

/** The sources of this process: one per resource, and one per lease that is watched by name. */
interface ChangeSources {
  of(request: Pick<ResourceRequest, 'resource' | 'key' | 'selection'>): ChangeSource
  readonly leases: LeaseTableSource
}

// More names than are watched at a time; a source without a watch costs only its memory.
const MAX_NAMES = 1_000

function changeSources(deps: ChangeSourceDeps): ChangeSources {
  const leases = leaseTableSource(deps)
  const byResource = new Map<Resource, ChangeSource>()
  const byName = new Map<string, ChangeSource>()

  const leaseNamed = (key: Key) => {
    const id = keyText(key)
    const source = byName.get(id) ?? leaseSource(deps, key)
    byName.delete(id)
    byName.set(id, source)
    const [oldest] = byName.keys()
    if (byName.size > MAX_NAMES && oldest !== undefined) byName.delete(oldest)
    return source
  }

  return {
    leases,
    of({ resource, key, selection }) {
      if (resource.plural === 'leases') {
        const name = selection.exact['metadata.name']
        const namespace = key.namespace || selection.exact['metadata.namespace']
        return name && namespace ? leaseNamed({ namespace, name }) : leases
      }
      const source = byResource.get(resource) ?? objectSource(deps, resource)
      byResource.set(resource, source)
      return source
    },
  }
}
