/** Where a host keeps its token: in a file only it can read, replaced in one step. */
import { rm } from 'node:fs/promises'
import { readIfExists, replacePrivate } from './private-file.ts'

export interface HeldToken {
  readonly token: string
  /** `joining` may create the Node and ask again; `node` is bound to the Node's uid. */
  readonly kind: 'joining' | 'node'
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

export interface TokenStore {
  load(): Promise<HeldToken | undefined>
  save(token: HeldToken | undefined): Promise<void>
}

export function memoryTokenStore(): TokenStore {
  let held: HeldToken | undefined
  return {
    load: async () => held,
    save: async (token) => {
      held = token
    },
  }
}

export function fileTokenStore(path: string): TokenStore {
  return {
    async load() {
      const text = await readIfExists(path)
      return text === undefined ? undefined : readToken(text)
    },
    save: (token) =>
      token ? replacePrivate(path, JSON.stringify(token)) : rm(path, { force: true }),
  }
}

/** A damaged file counts as none: the host joins again. */
function readToken(text: string): HeldToken | undefined {
  try {
    const { token, kind, issuedAtMs, expiresAtMs } = JSON.parse(text)
    const isWhole =
      typeof token === 'string' &&
      (kind === 'node' || kind === 'joining') &&
      Number.isFinite(issuedAtMs) &&
      Number.isFinite(expiresAtMs)
    return isWhole ? { token, kind, issuedAtMs, expiresAtMs } : undefined
  } catch {
    return undefined
  }
}
