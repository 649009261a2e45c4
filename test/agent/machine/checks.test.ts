import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../agent/clock.ts'
import { silentLog } from '../../../agent/log.ts'
import { checkAll, conditionType, toCondition } from '../../../agent/machine/checks.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'leasehold-checks-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const script = (name: string, text: string, mode = 0o755) =>
  writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`, { mode })
const run = (limitMs = 5_000) =>
  checkAll({
    directory,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    limitMs,
  })

describe('checks', () => {
  it('turns exit codes and first lines into conditions, in order of their names', async () => {
    script('smart-disk.sh', 'echo all disks fine; echo more')
    script('raid', 'echo "md0 degraded"; exit 1')
    script('odd', 'exit 7')
    script('README', 'exit 1', 0o644)
    expect(await run()).toEqual([
      { type: 'Odd', status: 'Unknown', reason: 'OddUnknown', message: 'exit code 7' },
      { type: 'Raid', status: 'True', reason: 'RaidProblem', message: 'md0 degraded' },
      { type: 'SmartDisk', status: 'False', reason: 'SmartDiskOk', message: 'all disks fine' },
    ])
  })

  it('stops one that hangs, with everything it started', async () => {
    script('slow', 'sleep 600 & sleep 600')
    expect(await run(50)).toMatchObject([{ status: 'Unknown', message: 'no end within 0.05 s' }])
  })

  it('is not drowned by one that babbles', async () => {
    script('loud', 'yes | head -c 3000000; exit 0')
    expect(await run()).toMatchObject([{ type: 'Loud', status: 'False', message: 'y' }])
  })

  it.each([
    { file: 'gpu', type: 'Gpu' },
    { file: 'smart-disk.sh', type: 'SmartDisk' },
    { file: 'ready', type: undefined },
    { file: 'memory-pressure', type: undefined },
    { file: '9lives', type: undefined },
    { file: 'sp ace', type: undefined },
  ])('$file speaks for $type', ({ file, type }) => {
    expect(conditionType(file)).toBe(type)
  })

  it('keeps control characters and long lines out of messages', () => {
    const { message } = toCondition('A', { code: 0, output: `\u001b[31mred${'x'.repeat(999)}\n` })
    expect(message).toMatch(/^\[31mredx+$/)
    expect(message?.length).toBe(256)
  })
})
