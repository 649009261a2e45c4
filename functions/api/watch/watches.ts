/**
 * Serves `watch=true`: a stream of frames that ends cleanly when its time is over, and is cut off
 * when it fails.
 */
import type { Store } from '../../../shared/store/ports.ts'
import type { LogEntry } from '../deps.ts'
import { nowOf } from '../now.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { frameStream } from './frame-stream.ts'
import { framesFor } from './frames.ts'
import { type Inbox, inbox } from './inbox.ts'
import { matcherOf } from './matcher.ts'
import { framesOf } from './session.ts'
import { localSlots, type Release, sharedSlots } from './slots.ts'
import type { Source } from './source.ts'
import { sources } from './sources.ts'
import { realTimers, type Timers, versionAt } from './timing.ts'
import { view } from './view.ts'
import { type WatchOptions, watchOptions } from './watch-options.ts'
import { type Circumstances, LOCAL_WATCHES, lifeOf, type WatchSettings } from './watch-settings.ts'

export interface WatchDeps extends Circumstances {
  readonly store: Store
  readonly log: (entry: LogEntry) => void
  /** Default: those of one process of our own. */
  readonly settings?: Partial<WatchSettings>
  readonly timers?: Timers
}

export interface Watches {
  serve(request: ResourceRequest): Promise<Response>
  /**
   * Lets a watch of leases begin from a list made after this. One scan; worth it where a process
   * lives long.
   */
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
    const lifeMs = lifeOf(options.timeoutSeconds, settings, deps)
    const release = await slots.take(now() + lifeMs + SLOT_MARGIN_MS)
    const mail = inbox()
    open.add(mail)
    if (isClosed) mail.end()
    const callOff = timers.after(lifeMs, mail.end)
    const close = once(async () => {
      callOff()
      open.delete(mail)
      // The slot expires by itself; that is no reason to break off what has ended well.
      await release().catch((error: unknown) => {
        deps.log({ level: 'warn', message: 'a watch could not give back its slot', error })
      })
    })
    return frameStream(frames(request, options, mail, close), async () => {
      // It may be waiting for news, and only then notices that nobody wants them.
      mail.end()
      await close()
    })
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
      const isComplete = options.initialEvents
      const startVersion = (isComplete ? undefined : options.version) ?? versionAt(now())
      const seen = view({ matcher: matcherOf(request), startVersion, isComplete })
      leave = source.join({ wants: seen.wants, hear: mail.hear, fail: mail.fail })
      const { store } = deps
      const session = { request, options, store, now, source, inbox: mail, startVersion }
      yield* framesOf({ ...session, frames: framesFor(request), view: seen })
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

// A slot outlives its watch by this much, so that it is not given away while the last frames are on
// their way.
const SLOT_MARGIN_MS = 30_000

function once(run: Release): Release {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}
