import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepKubeconfig } from '../../local/admin-kubeconfig.ts'
import { dataFolder } from '../../local/data-folder.ts'
import { ensureKeys } from '../../local/keys.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-kubeconfig-'))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

async function kept() {
  const data = dataFolder(folder)
  ensureKeys(data)
  const troubles: unknown[] = []
  const onTrouble = (error: unknown) => void troubles.push(error)
  const { stop } = await keepKubeconfig({ data, server: 'https://s', caPem: '', onTrouble })
  const token = () => JSON.parse(readFileSync(data.kubeconfig, 'utf8')).users[0].user.token
  return { stop, token, troubles }
}

describe('the kubeconfig of local mode', () => {
  it('keeps its token for hours', async () => {
    const { stop, token } = await kept()
    const first = token()
    await vi.advanceTimersByTimeAsync(5 * HOUR)
    expect(token()).toBe(first)
    await stop()
  })

  it('has a fresh token within a minute of waking from a long sleep', async () => {
    const { stop, token } = await kept()
    const first = token()
    // Asleep: the clock goes on and no timer does.
    vi.setSystemTime(Date.now() + 20 * HOUR)
    await vi.advanceTimersByTimeAsync(MINUTE)
    await vi.waitFor(() => expect(token()).not.toBe(first))
    await stop()
  })

  it('tells when it cannot be replaced, and goes on', async () => {
    const { stop, troubles } = await kept()
    rmSync(folder, { recursive: true })
    await vi.advanceTimersByTimeAsync(6 * HOUR + 2 * MINUTE)
    await vi.waitFor(() => expect(troubles.length).toBeGreaterThan(1))
    await stop()
  })
})
