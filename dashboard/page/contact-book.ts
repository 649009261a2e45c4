/** When did we last hear from the server? Everything that follows a list reports here. */

export interface Contact {
  /** By this machine's clock: how old what is shown is, is a question about this machine. */
  readonly heardAtMs: number
  /** Absent while all is well. */
  readonly lost?: string
}

type Listener = () => void

export interface ContactBook {
  heard(who: object, nowMs: number): void
  lost(who: object, why: string): void
  left(who: object): void
  now(): Contact
  listen(listener: Listener): () => void
}

export function contactBook(nowMs: number): ContactBook {
  let heardAtMs = nowMs
  const losses = new Map<object, string>()
  const listeners = new Set<Listener>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  return {
    heard(who, atMs) {
      heardAtMs = atMs
      if (losses.delete(who)) changed()
    },
    lost(who, why) {
      losses.set(who, why)
      changed()
    },
    left(who) {
      if (losses.delete(who)) changed()
    },
    now() {
      const [lost] = losses.values()
      return { heardAtMs, ...(lost !== undefined && { lost }) }
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
