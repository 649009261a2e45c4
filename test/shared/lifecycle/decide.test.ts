import { describe } from 'vitest'
import { type Checks, play } from './scenario.ts'
import type { Scenario } from './vector-shapes.ts'
import { casesOf, runCases } from './vectors.ts'

const files = [
  'monitor-node-health',
  'pods-not-ready',
  'noexecute-taints',
  'noschedule-taints',
  'zone-disruption',
]

describe.each(files)('%s vectors', (file) => {
  const cases = casesOf<Scenario, { checks: Readonly<Record<string, Checks>> }>(file)
  runCases(file, cases, (scenario, { checks }) => play(scenario, checks))
})
