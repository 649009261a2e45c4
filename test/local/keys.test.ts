import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DataFolder, dataFolder } from '../../local/data-folder.ts'
import { ensureKeys, fileSigner, readPublicKeys, rotateKey } from '../../local/keys.ts'

const nowMs = Date.UTC(2026, 0, 1)
const DAY = 86_400_000
let data: DataFolder
beforeEach(() => {
  data = dataFolder(mkdtempSync(join(tmpdir(), 'leasehold-keys-')))
  ensureKeys(data)
})
afterEach(() => rmSync(data.folder, { recursive: true }))

const kidOf = async (role: 'node' | 'admin') => (await fileSigner(data, role)).kid
const publicOf = async (role: string) =>
  (await readPublicKeys(data)).keys.filter((key) => key.role === role)

describe('key files', () => {
  it('are readable by their owner alone', () => {
    for (const file of [data.nodeKeys, data.adminKeys]) {
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
  })

  it('stay as they are at the next start', async () => {
    const before = await kidOf('node')
    ensureKeys(data)
    expect(await kidOf('node')).toBe(before)
  })

  it('are refused when others can read them, with what to do', async () => {
    chmodSync(data.adminKeys, 0o640)
    expect(() => fileSigner(data, 'admin')).toThrow(`run "chmod 600 ${data.adminKeys}"`)
  })

  it('show only public halves to the api', () => {
    expect(JSON.parse(readFileSync(data.publicKeys, 'utf8')).keys).toEqual([
      { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), role: 'node' },
      { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), role: 'admin' },
    ])
  })
})

describe('rotation', () => {
  const calmly = { nowMs, force: false }

  it('signs with the new key and still believes the one before', async () => {
    const before = await publicOf('node')
    const kid = await kidOf('node')
    expect(rotateKey(data, 'node', calmly)).toBe('rotated')
    expect(await kidOf('node')).not.toBe(kid)
    const now = await publicOf('node')
    expect(now).toHaveLength(2)
    expect(now).toContainEqual(before[0])
  })

  it('keeps nothing of the old key that could sign', () => {
    rotateKey(data, 'node', calmly)
    expect(JSON.parse(readFileSync(data.nodeKeys, 'utf8')).previous).not.toHaveProperty('d')
  })

  it('waits until the tokens of the key before have run out', () => {
    rotateKey(data, 'node', calmly)
    const soon = rotateKey(data, 'node', { nowMs: nowMs + 6 * DAY, force: false })
    expect(soon).toEqual({ tooSoonUntilMs: nowMs + 7 * DAY })
    expect(rotateKey(data, 'node', { nowMs: nowMs + 7 * DAY, force: false })).toBe('rotated')
  })

  it('by force believes no older key at all', async () => {
    rotateKey(data, 'admin', calmly)
    expect(rotateKey(data, 'admin', { nowMs, force: true })).toBe('rotated')
    expect(await publicOf('admin')).toHaveLength(1)
  })
})
