import { setTimeout as wait } from 'node:timers/promises'

/** A sleep that an abort ends early: a reason to wake up, not to fail. */
export async function interruptibleSleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal && { signal }).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error
  })
}
