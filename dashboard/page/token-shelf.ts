/** Where the token lies: in this tab until it is closed, and nowhere else. */

export interface TokenShelf {
  read(): string | undefined
  keep(token: string): void
  forget(): void
}

const NAME = 'leasehold-token'

/** A browser that allows no storage still has memory; then a reload asks for the token again. */
export function tokenShelf(storage: () => Storage): TokenShelf {
  let inMemory: string | undefined
  const attempt = <T>(act: (storage: Storage) => T): T | undefined => {
    try {
      return act(storage())
    } catch (error) {
      if (error instanceof DOMException) return undefined
      throw error
    }
  }
  return {
    read: () => inMemory ?? attempt((held) => held.getItem(NAME)) ?? undefined,
    keep(token) {
      inMemory = token
      attempt((held) => held.setItem(NAME, token))
    },
    forget() {
      inMemory = undefined
      attempt((held) => held.removeItem(NAME))
    },
  }
}
