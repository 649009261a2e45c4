import { describe, expect, it } from 'vitest'
import { localFlags, readOptions } from '../../local/options.ts'
import { flagUsages, parseFlags, UsageError } from '../../shared/flags/flag-set.ts'
import { settingNames } from '../../shared/lifecycle/settings.ts'

const parseOptions = (argv: readonly string[]) => readOptions(parseFlags(localFlags, argv).values)

describe('readOptions', () => {
  it('has defaults for everything', () => {
    expect(parseOptions([])).toMatchObject({ port: 6443, nodes: 0, zones: 3 })
  })

  it("takes kube-controller-manager's flags", () => {
    const judging = ['--node-monitor-grace-period', '3s', '--node-monitor-period', '500ms']
    const options = parseOptions(['--nodes', '60', ...judging])
    expect(options).toMatchObject({ nodes: 60, settings: { nodeMonitorGracePeriodMs: 3_000 } })
  })

  it.each([
    { when: 'a number is none', argv: ['--nodes', 'many'], says: '--nodes many' },
    { when: 'a number is too big', argv: ['--port', '70000'], says: '65535' },
    { when: 'there is no zone', argv: ['--zones', '0'], says: 'from 1 to' },
    {
      when: 'settings contradict each other',
      argv: ['--node-monitor-grace-period', '5s', '--node-lease-renew-interval', '10s'],
      says: '--node-monitor-grace-period',
    },
  ])('says what to do when $when', ({ argv, says }) => {
    expect(() => parseOptions(argv)).toThrow(UsageError)
    expect(() => parseOptions(argv)).toThrow(says)
  })
})

it('the help names every flag of the judgement with its default', () => {
  const help = flagUsages(localFlags)
  const missing = Object.keys(settingNames).filter(
    (name) => !new RegExp(`--${name} .*\\(default`).test(help) && !/cidr|ip-range/.test(name),
  )
  expect(missing).toEqual([])
  expect(help).toMatch(/--node-monitor-grace-period TIME +\(default 50s\)/)
})
