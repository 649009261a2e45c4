import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fileTokenStore } from '../../../agent/join/token-store.ts'

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
