import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readTarget } from '../../../local/cli/event-commands.ts'
import { UsageError } from '../../../shared/flags/flag-set.ts'

const both = { queue: 'https://queue', 'event-bus': 'bus' }

it('flags go before the environment, the environment before the outputs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-'))
  const outputs = join(folder, 'outputs.json')
  const names = {
    UndeliveredQueueUrl: 'from-outputs',
    EventBusName: 'from-outputs',
    Stage: 'from-outputs',
  }
  writeFileSync(outputs, JSON.stringify({ 'leasehold-prod': names }))
  const env = { LEASEHOLD_EVENT_BUS: 'from-env', LEASEHOLD_STAGE: 'test' }
  expect(readTarget({ outputs }, {})).toMatchObject({
    queue: 'from-outputs',
    stage: 'from-outputs',
  })
  expect(readTarget({ outputs }, env)).toMatchObject({ bus: 'from-env', stage: 'test' })
  expect(readTarget({ outputs, 'event-bus': 'from-flag' }, env).bus).toBe('from-flag')
  rmSync(folder, { recursive: true })
})

it.each([
  { when: 'there is no queue', values: { 'event-bus': 'bus' }, says: '--queue URL' },
  { when: 'there is no bus', values: { queue: 'https://queue' }, says: '--event-bus NAME' },
  { when: 'the number is none', values: { ...both, most: 'all' }, says: '--most is a number' },
])('$when: says what to do', ({ values, says }) => {
  expect(() => readTarget(values, {})).toThrow(UsageError)
  expect(() => readTarget(values, {})).toThrow(says)
})

it('takes a limit', () => {
  expect(readTarget({ ...both, most: '12' }, {}).most).toBe(12)
})
