import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { childEnv, runChild } from '../../agent/child-process.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'leasehold-child-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(directory, { recursive: true })
})

function script(text: string): string {
  const path = join(directory, 'program')
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return path
}

describe('a program of the user', () => {
  it.each([
    { when: 'is not there', under: ['none'], code: 'ENOENT' },
    // Thrown by spawn, where the other is told: as are a full memory and a file being written.
    { when: 'cannot be there', under: ['program', 'below'], code: 'ENOTDIR' },
  ])('that $when is a problem and no exception', async ({ under, code }) => {
    script('exit 0')
    const result = await runChild(join(directory, ...under), { limitMs: 1_000 })
    expect(result).toMatchObject({ problem: expect.stringContaining(code) })
  })

  it('that cannot be killed is waited for no longer, and its end is told', async () => {
    const blocker = join(directory, 'go')
    const path = script(`for i in $(seq 200); do [ -e ${blocker} ] || sleep 0.02; done`)
    // What a disk that does not answer does to a process: no signal reaches it.
    vi.spyOn(process, 'kill').mockReturnValue(true)
    const result = await runChild(path, { limitMs: 10, killAfterMs: 10 })
    expect(result.problem).toBe('no end within 0.01 s, not even killed')
    writeFileSync(blocker, '')
    await result.lingers
  })

  it('is read to its end, which may come after its exit', async () => {
    // The child of the shell prints after the shell itself has ended.
    const result = await runChild(script('(sleep 0.2; echo late) &'), { limitMs: 10_000 })
    expect(result).toEqual({ code: 0, output: 'late\n' })
  })

  it('is not waited for by what it left running', async () => {
    const result = await runChild(script('echo done; sleep 5 &'), { limitMs: 10_000 })
    expect(result).toEqual({ code: 0, output: 'done\n' })
  })

  it('learns neither the token to join with nor the way to systemd', () => {
    const env = {
      PATH: '/bin',
      LEASEHOLD_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
      NOTIFY_SOCKET: '/run/systemd/notify',
      WATCHDOG_USEC: '60000000',
    }
    expect(childEnv(env)).toEqual({ PATH: '/bin' })
  })
})
