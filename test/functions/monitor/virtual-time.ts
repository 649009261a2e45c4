/** Time that passes only when everybody waits for it. */
export class VirtualTime {
  nowMs: number
  readonly clock = () => this.nowMs
  readonly #sleepers: { readonly atMs: number; readonly wake: () => void }[] = []

  constructor(nowMs: number) {
    this.nowMs = nowMs
  }

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const sleeper = { atMs: this.nowMs + Math.max(0, ms), wake: resolve }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', () => this.#rouse(sleeper), { once: true })
    })

  #rouse(sleeper: { readonly wake: () => void }): void {
    const at = this.#sleepers.indexOf(sleeper as never)
    if (at >= 0) this.#sleepers.splice(at, 1)
    sleeper.wake()
  }

  /**
   * Until the work is done, waking the sleepers in order; fails if nobody sleeps and nothing ends.
   */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    for (let idle = 0; !isDone; ) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isDone) break
      const next = this.#sleepers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (!next && ++idle > 100) throw new Error('everybody waits and nobody sleeps')
      if (!next) continue
      idle = 0
      this.nowMs = Math.max(this.nowMs, next.atMs)
      this.#rouse(next)
    }
    return await work
  }

  run(ms: number): Promise<void> {
    return this.until(this.sleep(ms))
  }
}
