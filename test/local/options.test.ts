import { describe, expect, it } from 'vitest'
import { localHelp, parseOptions } from '../../local/options.ts'
import { UsageError } from '../../shared/flags/flag-set.ts'
import { settingNames } from '../../shared/lifecycle/settings.ts'

describe('parseOptions', () => {
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
    { when: 'a flag is unknown', argv: ['--nodez', '1'], says: '--help' },
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

it('the help names every flag', () => {
  expect(parseOptions(['--help'])).toBe('help')
  const help = localHelp()
  const flags = ['port', 'data', 'nodes', 'zones', ...Object.keys(settingNames)]
  expect(flags.filter((flag) => !help.includes(`--${flag}`))).toEqual([])
})
