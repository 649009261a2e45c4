import { describe, expect, it } from 'vitest'
import {
  defaultSettings,
  environmentName,
  parseSettings,
  settingsIn,
} from '../../../shared/lifecycle/settings.ts'

const parse = (given: Readonly<Record<string, string>>) => parseSettings((name) => given[name])

describe('settings', () => {
  it("are kube-controller-manager's when nothing is said", () => {
    expect(parse({})).toEqual({ kind: 'settings', settings: defaultSettings })
  })

  it('take every name from flags or, in capitals, from the environment', () => {
    const environment: Record<string, string> = {
      NODE_MONITOR_PERIOD: '500ms',
      NODE_MONITOR_GRACE_PERIOD: '3s',
      OBSERVE: 'true',
    }
    const parsed = parseSettings((name) => environment[environmentName(name)])
    expect(parsed).toMatchObject({
      kind: 'settings',
      settings: { nodeMonitorGracePeriodMs: 3_000, nodeLeaseRenewIntervalMs: 750, observe: true },
    })
  })

  it.each([
    { given: { 'node-monitor-period': 'often' }, says: 'a duration such as 50s' },
    { given: { observe: 'yes' }, says: 'true or false' },
    { given: { 'full-zone-policy': 'stop' }, says: 'one of kubernetes, slow, freeze' },
    { given: { 'node-eviction-rate': 'fast' }, says: 'a number' },
    { given: { 'node-eviction-rate': '' }, says: 'a number' },
    { given: { 'large-cluster-size-threshold': '1.5' }, says: 'a whole number' },
    { given: { 'node-eviction-rate': '-1' }, says: 'must not be negative' },
    { given: { 'unhealthy-zone-threshold': '1.1' }, says: 'between 0 and 1' },
    { given: { 'node-monitor-grace-period': '4s' }, says: 'shorter than node-monitor-period' },
    {
      given: { 'node-monitor-grace-period': '8s', 'node-lease-renew-interval': '10s' },
      says: 'longer than node-lease-renew-interval (10s)',
    },
  ])('refuse $given and say why', ({ given, says }) => {
    const parsed = parseSettings((name) => new Map(Object.entries(given)).get(name))
    expect(parsed.kind === 'invalid' && parsed.problems.join()).toContain(says)
  })

  // A limit that is itself refused sends an operator looking for a mistake that is none.
  it.each([
    { given: { 'node-monitor-period': '100ms' } },
    { given: { 'node-monitor-period': '50s', 'node-monitor-grace-period': '50s' } },
    { given: { 'node-startup-grace-period': '0s' } },
    { given: { 'node-eviction-settle': '0s' } },
    { given: { 'node-eviction-rate': '0' } },
    { given: { 'secondary-node-eviction-rate': '0' } },
    { given: { 'unhealthy-zone-threshold': '0' } },
    { given: { 'unhealthy-zone-threshold': '1' } },
    { given: { 'default-not-ready-toleration-seconds': '0' } },
    { given: { 'default-unreachable-toleration-seconds': '0' } },
    { given: { 'full-zone-policy': 'freeze' } },
    { given: { observe: 'false' } },
  ])('accept $given, which is just allowed', ({ given }) => {
    expect(parseSettings((name) => new Map(Object.entries(given)).get(name)).kind).toBe('settings')
  })

  it.each([
    { given: { 'unhealthy-zone-threshold': '-0.1' }, says: 'between 0 and 1' },
    { given: { 'node-lease-renew-interval': '0s' }, says: 'more than 0' },
    {
      given: { 'node-monitor-grace-period': '10s', 'node-lease-renew-interval': '10s' },
      says: 'longer than node-lease-renew-interval',
    },
  ])('refuse $given, which is just not allowed', ({ given, says }) => {
    const parsed = parseSettings((name) => new Map(Object.entries(given)).get(name))
    expect(parsed.kind === 'invalid' && parsed.problems.join()).toContain(says)
  })

  it('change nodes and pods unless told to observe only', () => {
    expect(defaultSettings.observe).toBe(false)
  })

  it('stop a function from starting when they are wrong, and say all that is wrong', () => {
    const env = { NODE_MONITOR_PERIOD: 'often', OBSERVE: 'yes' }
    expect(() => settingsIn(env)).toThrow(/node-monitor-period[\s\S]*observe/)
    expect(settingsIn({ OBSERVE: 'false' })).toEqual(defaultSettings)
  })
})
