/**
 * Reads that are worth waiting for: so many at once in this process, so many of them for one
 * identity, and those who wait take turns. A list is read page by page, so a long one waits between
 * its pages and holds nothing while its client is slow. Renewals never come here.
 */
import { tooManyRequests } from '../../../shared/kube/status-error.ts'

export interface FairQueue {
  /** Throws 429 when too many of this user's are waiting. */
  run<T>(user: string, read: () => Promise<T>): Promise<T>
}

/** About a megabyte each. */
const AT_ONCE = 8
const AT_ONCE_OF_ONE = 4
/** A client that lists every kind in every namespace, at once. */
const WAITING_OF_ONE = 100

interface Flow {
  running: number
  readonly waiting: (() => void)[]
}

export function fairQueue(): FairQueue {
  /** Of callers that read or wait; the next in turn comes first. */
  const flows = new Map<string, Flow>()
  let running = 0

  const mayStart = (flow: Flow) => running < AT_ONCE && flow.running < AT_ONCE_OF_ONE

  const start = (user: string, flow: Flow) => {
    running += 1
    flow.running += 1
    // To the end of the line, behind all others.
    flows.delete(user)
    flows.set(user, flow)
  }

  const startNext = () => {
    for (const [user, flow] of flows) {
      if (flow.waiting.length === 0 || !mayStart(flow)) continue
      start(user, flow)
      flow.waiting.shift()!()
      return
    }
  }

  const finish = (user: string, flow: Flow) => {
    running -= 1
    flow.running -= 1
    if (flow.running === 0 && flow.waiting.length === 0) flows.delete(user)
    startNext()
  }

  return {
    async run(user, read) {
      const flow = flows.get(user) ?? { running: 0, waiting: [] }
      if (flow.waiting.length === 0 && mayStart(flow)) start(user, flow)
      else await turn(user, flow)
      try {
        return await read()
      } finally {
        finish(user, flow)
      }
    },
  }

  async function turn(user: string, flow: Flow): Promise<void> {
    if (flow.waiting.length >= WAITING_OF_ONE) {
      throw tooManyRequests('this identity reads too many lists at once; slow down', 1)
    }
    flows.set(user, flow)
    await new Promise<void>((resolve) => flow.waiting.push(resolve))
  }
}
