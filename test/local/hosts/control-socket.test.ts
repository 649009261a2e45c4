import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  askControl,
  controlSocketIn,
  listenForControl,
} from '../../../local/hosts/control-socket.ts'

let folder = ''
let server: { stop(): Promise<void> }
const asked: string[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-'))
  server = await listenForControl(controlSocketIn(folder), async (verb, target) => {
    if (target === 'broken') throw new Error('it hangs')
    asked.push(`${verb} ${target}`)
    return 'done'
  })
})
afterEach(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

it('carries a verb and a target to the fleet and its answer back', async () => {
  expect(await askControl(controlSocketIn(folder), 'stop', 'zone-a')).toEqual({
    isDone: true,
    text: 'done',
  })
  expect(asked).toEqual(['stop zone-a'])
})

it('answers what it does not know with what there is', async () => {
  const answer = await askControl(controlSocketIn(folder), 'explode', 'all')
  expect(answer.isDone).toBe(false)
  expect(answer.text).toContain('stop, start, leave')
})

it('tells a failure instead of hanging', async () => {
  expect(await askControl(controlSocketIn(folder), 'stop', 'broken')).toEqual({
    isDone: false,
    text: 'it hangs',
  })
})
