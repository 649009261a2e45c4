import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const run = (...args: string[]) =>
  spawnSync(process.execPath, ['local/emulators/ministack.ts', ...args], { encoding: 'utf8' })

it('says what is wrong in one sentence before anything starts', () => {
  const { status, stdout, stderr } = run('-c', 'ingress=http-api')
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr.trim().split('\n')).toEqual([
    '-c ingress=http-api is what "npm run sam" serves: start it beside this one, without -c',
  ])
})

it('explains itself', () => {
  const { status, stdout } = run('--help')
  expect(status).toBe(0)
  expect(stdout).toContain('--context NAME=VALUE')
})
