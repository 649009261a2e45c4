import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const run = (...args: string[]) =>
  spawnSync(process.execPath, ['local/emulators/localstack.ts', ...args], { encoding: 'utf8' })

it.each([
  {
    when: 'no LocalStack runs',
    args: ['--endpoint', 'http://127.0.0.1:1'],
    says: /^no LocalStack answers at http:\/\/127\.0\.0\.1:1: start one with\n {2}docker run .*$/,
  },
  {
    when: 'an HTTP API is asked for',
    args: ['-c', 'ingress=http-api'],
    says: /^-c ingress=http-api gets no address in LocalStack: .*$/,
  },
  { when: 'an option is unknown', args: ['-c', 'fleetsize=5'], says: /^-c fleetsize: no such.*$/ },
])('says so before anything starts when $when', ({ args, says }) => {
  const { status, stdout, stderr } = run(...args)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr.trim()).toMatch(says)
})
