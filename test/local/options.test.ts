import { describe, expect, it } from 'vitest'
import { localFlags, readOptions } from '../../local/options.ts'
import { flagUsages, parseFlags, UsageError } from '../../shared/flags/flag-set.ts'
import { settingNames } from '../../shared/lifecycle/settings.ts'

const parseOptions = (argv: readonly string[]) => readOptions(parseFlags(localFlags, argv).values)

describe('readOptions', () => {
  it('has defaults for everything', () => {
    expect(parseOptions([])).toMatchObject({
      listen: { address: '127.0.0.1', port: 6443 },
      isPublic: false,
      dashboardPort: 8080,
      nodes: 0,
      zones: 3,
    })
  })

  it('listens for a network, and then serves the page over https only', () => {
    expect(parseOptions(['--listen', '[::]:7000', '--tls-name', 'a.test'])).toMatchObject({
      listen: { address: '::', port: 7000 },
      isPublic: true,
      tlsNames: ['a.test'],
    })
    expect(parseOptions(['--listen', '10.0.0.5:7000']).dashboardPort).toBeUndefined()
  })

  it("takes kube-controller-manager's flags", () => {
    const judging = ['--node-monitor-grace-period', '3s', '--node-monitor-period', '500ms']
    const options = parseOptions(['--nodes', '60', ...judging])
    expect(options).toMatchObject({ nodes: 60, settings: { nodeMonitorGracePeriodMs: 3_000 } })
  })

  it.each([
    { when: 'a number is none', argv: ['--nodes', 'many'], says: '--nodes many' },
    { when: 'a number is too big', argv: ['--port', '70000'], says: '65535' },
    { when: 'it listens nowhere', argv: ['--listen', 'here:1'], says: 'such as 0.0.0.0:6443' },
    { when: 'it listens twice', argv: ['--listen', '0.0.0.0:1', '--port', '2'], says: 'not both' },
    { when: 'a key is missing', argv: ['--tls-cert-file', 'c'], says: 'together' },
    {
      when: 'a certificate has no name',
      argv: ['--tls-cert-file', 'c', '--tls-private-key-file', 'k'],
      says: 'needs --tls-name',
    },
    { when: 'a name is none', argv: ['--tls-name', 'a b'], says: 'give a host name' },
    { when: 'a format is unknown', argv: ['--logging-format', 'xml'], says: 'text and json' },
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
