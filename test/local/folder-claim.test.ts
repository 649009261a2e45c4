import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Claim, claimBeside, claimFolder } from '../../local/folder-claim.ts'

let parent = ''
let folder = ''
const claims: Claim[] = []
const claim = (onGone = () => {}) => {
  const made = claimFolder(folder, onGone)
  claims.push(made)
  return made
}
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'leasehold-claim-'))
  folder = join(parent, 'data')
})
afterEach(async () => {
  for (const each of claims.splice(0)) if (each.kind === 'claimed') await each.stop()
  vi.useRealTimers()
  rmSync(parent, { recursive: true })
})

describe('a data folder', () => {
  it('belongs to one start at a time', async () => {
    const first = claim()
    expect(claim()).toEqual({ kind: 'taken', pid: process.pid })
    if (first.kind === 'claimed') await first.stop()
    expect(existsSync(join(folder, 'server.json'))).toBe(false)
    expect(claim().kind).toBe('claimed')
  })

  it('is free when the process that claimed it is gone, or another has its pid', async () => {
    const child = spawn('true')
    await once(child, 'exit')
    claim()
    const file = join(folder, 'server.json')
    const own = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...own, pid: child.pid }))
    expect(claim().kind).toBe('claimed')
    writeFileSync(file, JSON.stringify({ ...own, started: 'earlier' }))
    expect(claim().kind).toBe('claimed')
    writeFileSync(file, '{"pid"')
    expect(claim().kind).toBe('claimed')
  })

  it('has others beside it for starts that name none', () => {
    claim()
    const second = claimBeside(folder, () => {})
    claims.push(second)
    expect(second).toMatchObject({ kind: 'claimed', folder: `${folder}-2` })
  })

  it('is missed once when it vanishes', () => {
    vi.useFakeTimers()
    const onGone = vi.fn()
    claim(onGone)
    vi.advanceTimersByTime(30_000)
    expect(onGone).not.toHaveBeenCalled()
    rmSync(folder, { recursive: true })
    vi.advanceTimersByTime(30_000)
    expect(onGone).toHaveBeenCalledTimes(1)
  })
})
