import { describe, expect, it } from 'vitest'
import { stackOptions } from '../../../local/emulators/stack-options.ts'
import { UsageError } from '../../../shared/flags/flag-set.ts'

const refused = { 'ingress=http-api': 'is what "npm run sam" serves' }

describe('options of the stacks in an emulator', () => {
  it('are handed on as they are given, and tell how the monitor judges', () => {
    const given = ['lifecycle.node-monitor-grace-period=8s', 'maxWatches=5']
    const { context, settings } = stackOptions(given, refused)
    expect(context).toEqual(given)
    expect(settings.nodeMonitorGracePeriodMs).toBe(8_000)
  })

  it.each([
    { when: 'the emulator cannot serve it', given: 'ingress=http-api', says: 'npm run sam' },
    { when: 'it is another stage', given: 'stage=prod', says: 'always "local"' },
    { when: 'it has no value', given: 'fleetSize', says: 'write name=value' },
    { when: 'its value is wrong', given: 'fleetSize=many', says: 'from 1 to 200000' },
    { when: 'a flag is misspelt', given: 'lifecycle.grace=4s', says: 'no such flag' },
    { when: 'there is no such option', given: 'fleetsize=5', says: '-c fleetsize' },
  ])('are refused in a sentence when $when', ({ given, says }) => {
    expect(() => stackOptions([given], refused)).toThrow(UsageError)
    expect(() => stackOptions([given], refused)).toThrow(says)
  })
})
