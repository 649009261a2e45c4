/** Where a host keeps its token: in a file only it can read, replaced in one step. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { kubeconfigText } from '../../shared/kube/kubeconfig.ts'
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

/**
 * Keeps the token in `store`, and beside it what other programs on this host can read: the node's token
 * alone, and a kubeconfig that names that file. Never a joining token, which can do nothing for them.
 */
export function sharedTokenStore(
  store: TokenStore,
  { folder, server, ca, user, onTrouble }: SharedToken,
): TokenStore {
  const file = join(folder, 'token')
  const share = async (held: HeldToken | undefined) => {
    if (held?.kind !== 'node') return await rm(file, { force: true })
    await replacePrivate(file, held.token)
    const facts = { server, ca, user, auth: { tokenFile: file } }
    await replacePrivate(join(folder, 'kubeconfig'), `${kubeconfigText(facts)}\n`)
  }
  return {
    async load() {
      const held = await store.load()
      if (held) await share(held).catch(onTrouble)
      return held
    },
    async save(held) {
      await store.save(held)
      await share(held).catch(onTrouble)
    },
  }
}

interface SharedToken {
  readonly folder: string
  readonly server: string
  readonly ca: string | undefined
  readonly user: string
  /** They could not be written; the host itself is not concerned. */
  readonly onTrouble: (error: Error) => void
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
