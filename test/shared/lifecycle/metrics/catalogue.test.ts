import { expect, it } from 'vitest'
import { noMetrics, printMetrics } from '../../../../shared/lifecycle/metrics/catalogue.ts'

it('is described metric by metric in docs/monitoring/metrics.md', async () => {
  const described = printMetrics(noMetrics).matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)
  const rows = [...described].map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`)
  const page = [
    '# What /metrics tells',
    '',
    'Written by a test from the catalogue of metrics. Zones are labelled `zone`, kinds of steps `action`.',
    '',
    '| metric | type | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
  await expect(page).toMatchFileSnapshot('../../../../docs/monitoring/metrics.md')
})

it('prints what has no label from the start, so that its first increase is seen', () => {
  const lines = printMetrics(noMetrics).split('\n')
  expect(lines).toContain('leasehold_monitor_overruns_total 0')
  expect(lines).toContain('leasehold_monitor_detection_lag_seconds_bucket{le="+Inf"} 0')
  expect(lines).toContain('leasehold_monitor_detection_lag_seconds_count 0')
  expect(lines.filter((line) => line.startsWith('leasehold_monitor_actions_total'))).toEqual([])
})
