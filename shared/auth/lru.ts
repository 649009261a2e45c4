/** A table that forgets what was not asked for longest, so that no caller can make it grow. */
export interface Lru<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
  delete(key: string): void
  readonly size: number
}

export function lru<T>(limit: number): Lru<T> {
  // A Map remembers the order of insertion: the first key is the one not asked for longest.
  const entries = new Map<string, T>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= limit) return
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    },
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size
    },
  }
}
