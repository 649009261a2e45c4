/**
 * In what order do the parts of one process start and stop? First in, last out; a failure undoes
 * what stands.
 */

export interface Started<T> {
  readonly value: T
  stop(): Promise<void>
}

export interface Parts {
  /** Starts a part and remembers how to stop it; returns what it started. */
  add<T>(name: string, start: () => Promise<Started<T>>): Promise<T>
  /** Stops everything in reverse order; returns the names of those that would not. */
  stop(): Promise<readonly string[]>
}

interface Part {
  readonly name: string
  stop(): Promise<void>
}

/** A part that does not stop in time is left behind: the process is about to end anyway. */
const STOP_MS = 2_000

export function parts(): Parts {
  const running: Part[] = []
  return {
    async add(name, start) {
      const { value, stop } = await start()
      running.push({ name, stop })
      return value
    },
    async stop() {
      const stuck: string[] = []
      for (const part of running.splice(0).reverse())
        if (!(await stopsInTime(part))) stuck.push(part.name)
      return stuck
    },
  }
}

async function stopsInTime(part: Part): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, STOP_MS, false)
  try {
    return await Promise.race([part.stop().then(() => true), promise])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
