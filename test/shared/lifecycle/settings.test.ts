import { describe, expect, it } from 'vitest'
import { parseDurationMs } from '../../../shared/lifecycle/duration.ts'
import {
  defaultSettings,
  environmentName,
  parseSettings,
} from '../../../shared/lifecycle/settings.ts'

const parse = (given: Readonly<Record<string, string>>) => parseSettings((name) => given[name])

describe('durations', () => {
  it.each([
    { text: '50s', ms: 50_000 },
    { text: '1m30s', ms: 90_000 },
    { text: '500ms', ms: 500 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '250us', ms: 0.25 },
    { text: '0', ms: 0 },
    { text: '-2s', ms: -2_000 },
    { text: '', ms: undefined },
    { text: '50', ms: undefined },
    { text: '5 s', ms: undefined },
    { text: 's', ms: undefined },
    { text: '-', ms: undefined },
  ])('read $text as $ms ms', ({ text, ms }) => {
    expect(parseDurationMs(text)).toBe(ms)
  })
})

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
    { given: { 'allocate-node-cidrs': 'true' }, says: 'needs cluster-cidr' },
    {
      given: { 'node-monitor-grace-period': '8s', 'node-lease-renew-interval': '10s' },
      says: 'longer than node-lease-renew-interval (10s)',
    },
  ])('refuse $given and say why', ({ given, says }) => {
    const parsed = parseSettings((name) => new Map(Object.entries(given)).get(name))
    expect(parsed.kind === 'invalid' && parsed.problems.join()).toContain(says)
  })
})
