/** Is the server reachable, and when did it last answer? Every watched list reports here. */

export interface ConnectionState {
  /** By this machine's clock: it says how old the displayed data is. */
  readonly heardAtMs: number
  /** Why a list cannot be read; absent while all can. */
  readonly lost?: string
}

let heardAtMs = Date.now()
const failures = new Map<object, string>()
const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}

/** `list` is any object that identifies the reporting list. */
export const connection = {
  heard(list: object, atMs: number): void {
    heardAtMs = atMs
    if (failures.delete(list)) notify()
  },
  lost(list: object, why: string): void {
    failures.set(list, why)
    notify()
  },
  /** The list is no longer watched, so its failure no longer counts. */
  closed(list: object): void {
    if (failures.delete(list)) notify()
  },
  state(): ConnectionState {
    const [lost] = failures.values()
    return { heardAtMs, ...(lost !== undefined && { lost }) }
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
