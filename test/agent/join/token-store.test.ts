import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  fileTokenStore,
  memoryTokenStore,
  sharedTokenStore,
} from '../../../agent/join/token-store.ts'

const folders: string[] = []
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true })
})

describe('the token file', () => {
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'leasehold-agent-'))
    folders.push(made)
    return made
  }
  const token = { token: 't', kind: 'node', issuedAtMs: 1, expiresAtMs: 2 } as const

  it('is readable by its owner only, also where a wider one was before', async () => {
    const file = join(folder(), 'state', 'token.json')
    const store = fileTokenStore(file)
    await store.save(token)
    writeFileSync(`${file}.new`, 'left over', { mode: 0o644 })
    await store.save(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await store.load()).toEqual(token)
  })

  it('that is spoiled is as good as none', async () => {
    const file = join(folder(), 'token.json')
    writeFileSync(file, '{"token":')
    expect(await fileTokenStore(file).load()).toBeUndefined()
  })

  it('keeps the old token when there is no room for the new one', async () => {
    const file = join(folder(), 'token.json')
    const store = fileTokenStore(file)
    await store.save(token)
    // /dev/full refuses every byte, as a full disk does.
    symlinkSync('/dev/full', `${file}.new`)
    await expect(store.save({ ...token, token: 'u' })).rejects.toThrow('ENOSPC')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(token)
  })
})

describe('the files for programs beside the agent', () => {
  const joining = { token: 'j', kind: 'joining', issuedAtMs: 1, expiresAtMs: 2 } as const
  const node = { token: 'n', kind: 'node', issuedAtMs: 1, expiresAtMs: 2 } as const
  const troubles: string[] = []
  const sharedIn = (folder: string, store = memoryTokenStore()) =>
    sharedTokenStore(store, {
      ...{ folder, server: 'https://s', ca: 'PEM', user: 'system:node:a' },
      onTrouble: ({ message }) => troubles.push(message),
    })
  const newFolder = () => {
    const made = mkdtempSync(join(tmpdir(), 'leasehold-agent-'))
    folders.push(made)
    return join(made, 'shared')
  }

  it('hold the node token and a kubeconfig, for its owner only', async () => {
    const folder = newFolder()
    await sharedIn(folder).save(node)
    expect(readFileSync(join(folder, 'token'), 'utf8')).toBe('n')
    const config = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
    expect(config.users).toEqual([
      { name: 'system:node:a', user: { tokenFile: join(folder, 'token') } },
    ])
    expect(config.clusters[0].cluster.server).toBe('https://s')
    for (const name of ['token', 'kubeconfig'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('are written again at a start, and never hold a joining token or one that is gone', async () => {
    const folder = newFolder()
    const kept = memoryTokenStore()
    await kept.save(node)
    expect(await sharedIn(folder, kept).load()).toEqual(node)
    expect(existsSync(join(folder, 'token'))).toBe(true)
    for (const held of [joining, undefined]) {
      await sharedIn(folder, kept).save(node)
      await sharedIn(folder, kept).save(held)
      expect(existsSync(join(folder, 'token'))).toBe(false)
    }
  })

  it('do not keep the host from its token when they cannot be written', async () => {
    const kept = memoryTokenStore()
    await kept.save(node)
    expect(await sharedIn('/dev/null/shared', kept).load()).toEqual(node)
    expect(troubles).toEqual([expect.stringContaining('ENOTDIR')])
  })
})
