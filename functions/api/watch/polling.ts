/** The rhythm of a source: one poll at a time, for as long as anybody listens. */
import type { LogEntry } from '../deps.ts'
import type { Batch, Listener } from './source.ts'
import type { Timers } from './timing.ts'

// Silence is safe, since nothing wrong is said; but after this many polls in vain a client does
// better elsewhere.
const MAX_FAILURES = 30

export interface PollingOptions {
  readonly intervalMs: number
  readonly timers: Timers
  readonly log: (entry: LogEntry) => void
  /** Called when the first listener comes and nothing is under way. */
  readonly begin?: () => void
  readonly poll: (wants: Listener['wants']) => Promise<Batch>
}

export interface Polling {
  join(listener: Listener): () => void
  settled(): Promise<void>
}

export function polling(options: PollingOptions): Polling {
  const listeners = new Set<Listener>()
  const wants: Listener['wants'] = (change) => {
    for (const listener of listeners) if (listener.wants(change)) return true
    return false
  }
  let failures = 0
  let underWay: Promise<void> | undefined
  let callOff: (() => void) | undefined

  const turn = async () => {
    try {
      const batch = await options.poll(wants)
      failures = 0
      for (const listener of [...listeners]) listener.hear(batch)
    } catch (error) {
      failures += 1
      options.log({ level: 'warn', message: 'a poll for watches failed', error })
      if (failures < MAX_FAILURES) return
      for (const listener of [...listeners]) listener.fail(error)
    }
  }

  const start = () => {
    callOff = undefined
    underWay = turn().then(() => {
      underWay = undefined
      if (listeners.size > 0) callOff = options.timers.after(options.intervalMs, start)
    })
  }

  const leave = (listener: Listener) => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    callOff?.()
    callOff = undefined
  }

  return {
    join(listener) {
      const idle = listeners.size === 0 && !underWay
      listeners.add(listener)
      if (idle) {
        failures = 0
        options.begin?.()
        start()
      }
      return () => leave(listener)
    },
    settled: async () => await underWay,
  }
}
