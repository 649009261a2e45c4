/** Where a host keeps its token: in a file only it can read, replaced in one step. */
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

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
      try {
        return readToken(await readFile(path, 'utf8'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    save: (token) => (token ? replace(path, JSON.stringify(token)) : rm(path, { force: true })),
  }
}

/** A file somebody has spoiled is as good as none: the host joins again. */
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

/** Written beside, synced, renamed over: whatever happens in between, a whole token is there. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  const file = await open(beside, 'w', 0o600)
  try {
    // The mode above counts only for a new file.
    await chmod(beside, 0o600)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
}
