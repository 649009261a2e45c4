/** Serves `watch=true`: a stream of frames that ends cleanly when its time is over, and is cut off when it fails. */

import type { Store } from '../../../shared/store/ports.ts'
import { jsonHeaders } from '../answer/json-answer.ts'
import type { LogEntry } from '../deps.ts'
import { nowOf } from '../now.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { framesFor } from './frames.ts'
import { type Inbox, inbox } from './inbox.ts'
import { matcherOf } from './matcher.ts'
import { framesOf } from './session.ts'
import { localSlots, type Release, sharedSlots } from './slots.ts'
import type { Source } from './source.ts'
import { sources } from './sources.ts'
import {
  COMPARE_MS,
  DEADLINE_MARGIN_MS,
  POLL_MS,
  realTimers,
  SCAN_MS,
  type Timers,
  versionAt,
} from './timing.ts'
import { view } from './view.ts'
import { type WatchOptions, watchOptions } from './watch-options.ts'

export interface WatchSettings {
  readonly pollMs: number
  /** Between two scans of all leases. */
  readonly scanMs: number
  readonly compareMs: number
  /** A watch without a timeout lives from one to two times this long. */
  readonly lifeMs: number
  /** No watch lives longer. */
  readonly maxLifeMs: number
  readonly maxWatches: number
  /** `shared`: counted in the table, because every watch may be in a process of its own. */
  readonly slots: 'shared' | 'local'
}

/** One process of our own. */
export const LOCAL_WATCHES: WatchSettings = {
  pollMs: POLL_MS,
  scanMs: SCAN_MS,
  compareMs: COMPARE_MS,
  lifeMs: 30 * 60_000,
  // Nobody means to watch for longer, and timers cannot count much further.
  maxLifeMs: 24 * 60 * 60_000,
  maxWatches: 1_000,
  slots: 'local',
}

export const LAMBDA_WATCHES: WatchSettings = {
  ...LOCAL_WATCHES,
  maxLifeMs: 5 * 60_000,
  maxWatches: 50,
  slots: 'shared',
}

export interface WatchDeps {
  readonly store: Store
  readonly clock: () => number
  readonly random: () => number
  readonly log: (entry: LogEntry) => void
  /** Default: those of one process of our own. */
  readonly settings?: Partial<WatchSettings>
  /** When this process will be stopped from outside, if that is known (Lambda). */
  readonly deadlineMs?: () => number | undefined
  readonly timers?: Timers
}

export interface Watches {
  serve(request: ResourceRequest): Promise<Response>
  /** Lets a watch of leases begin from a list made after this. One scan; worth it where a process lives long. */
  lookAtLeases(): Promise<void>
  /** Ends every stream, cleanly. */
  close(): void
}

export function createWatch(deps: WatchDeps): Watches {
  const settings = { ...LOCAL_WATCHES, ...deps.settings }
  const timers = deps.timers ?? realTimers
  const now = () => nowOf(deps)
  const origin = sources({ ...deps, settings, timers, now })
  const { maxWatches } = settings
  const slots =
    settings.slots === 'shared' ? sharedSlots({ ...deps, maxWatches }) : localSlots(maxWatches)
  const open = new Set<Inbox>()
  let isClosed = false

  const serve = async (request: ResourceRequest): Promise<Response> => {
    const options = watchOptions(request.query)
    const lifeMs = lifeOf(options, settings, deps)
    const release = await slots.take(now() + lifeMs + SLOT_MARGIN_MS)
    const mail = inbox()
    open.add(mail)
    if (isClosed) mail.end()
    const callOff = timers.after(lifeMs, mail.end)
    const close = once(async () => {
      callOff()
      open.delete(mail)
      await release()
    })
    return stream(frames(request, options, mail, close), mail, close)
  }

  async function* frames(
    request: ResourceRequest,
    options: WatchOptions,
    mail: Inbox,
    close: Release,
  ): AsyncGenerator<string> {
    let leave: ReturnType<Source['join']> | undefined
    try {
      const source = origin.of(request)
      const startVersion = options.initialEvents ? versionAt(now()) : options.version
      const session = { request, options, store: deps.store, now, source, inbox: mail }
      const matcher = matcherOf(request)
      const start = startVersion ?? versionAt(now())
      const scene = view({ matcher, startVersion: start, isComplete: options.initialEvents })
      leave = source.join({ wants: scene.wants, hear: mail.hear, fail: mail.fail })
      yield* framesOf({ ...session, frames: framesFor(request), view: scene, startVersion: start })
    } catch (error) {
      deps.log({ level: 'error', message: 'a watch failed', path: request.path, error })
      throw error
    } finally {
      leave?.()
      await close()
    }
  }

  return {
    serve,
    lookAtLeases: () => origin.leases.look(),
    close() {
      isClosed = true
      for (const mail of open) mail.end()
    },
  }
}

// A slot outlives its watch by this much, so that it is not given away while the last frames are on their way.
const SLOT_MARGIN_MS = 30_000

function lifeOf(options: WatchOptions, settings: WatchSettings, deps: WatchDeps): number {
  const chosenMs = settings.lifeMs * (1 + deps.random())
  const askedMs = options.timeoutSeconds === undefined ? chosenMs : options.timeoutSeconds * 1_000
  const deadlineMs = deps.deadlineMs?.() ?? Number.POSITIVE_INFINITY
  const leftMs = deadlineMs - deps.clock() - DEADLINE_MARGIN_MS
  return Math.max(0, Math.min(askedMs, settings.maxLifeMs, leftMs))
}

/** Made while it is read. Its end is clean; an error is passed on, so that a part does not look like the whole. */
function stream(frames: AsyncGenerator<string>, mail: Inbox, close: Release): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      // It may be waiting for news; only then does it notice that nobody wants them.
      mail.end()
      await frames.return(undefined)
      // A generator that never began has nothing to clean up by itself.
      await close()
    },
  })
  return new Response(body, { headers: jsonHeaders() })
}

function once(run: Release): Release {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}
