import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('names the tool that is missing, in one sentence before anything starts', () => {
  const run = [
    process.execPath,
    ['local/emulators/sam.ts'],
    { env: { PATH: '/nowhere' }, encoding: 'utf8' },
  ] as const
  const { status, stdout, stderr } = spawnSync(...run)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr.trim().split('\n')).toEqual([
    'this needs docker, which is not installed: https://docs.docker.com/get-docker',
  ])
})
