import { expect, it } from 'vitest'
import { jsonLog } from '../../local/log.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

function logged(isVerbose: boolean) {
  const lines: unknown[] = []
  const log = jsonLog(
    (line) => lines.push(JSON.parse(line)),
    () => NOW_MS,
    isVerbose,
  )
  return { log, lines }
}

it('writes one JSON object a line, with the time and why', () => {
  const { log, lines } = logged(false)
  log.say('\nLeasehold is running.\n')
  log.entry({ level: 'warn', message: 'cannot', method: 'GET', path: '/x', error: new Error('no') })
  log.entry({ level: 'info', message: 'chatter' })
  const time = '2026-01-02T03:04:05.000Z'
  expect(lines).toEqual([
    { time, level: 'info', message: 'Leasehold is running.' },
    { time, level: 'warn', message: 'cannot', method: 'GET', path: '/x', error: 'no' },
  ])
})

it('tells all, with stacks, when verbose', () => {
  const { log, lines } = logged(true)
  log.entry({ level: 'info', message: 'chatter' })
  log.entry({ level: 'error', message: 'failed', error: new Error('no') })
  expect(lines).toMatchObject([
    { message: 'chatter' },
    { error: expect.stringMatching(/^Error: no\n/) },
  ])
})
