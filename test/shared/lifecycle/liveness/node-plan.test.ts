import { describe, expect, it } from 'vitest'
import { planNode } from '../../../../shared/lifecycle/liveness/node-plan.ts'
import { knownNode } from '../fleet.ts'
import { type Checks, play } from '../scenario.ts'
import type { Scenario } from '../vector-shapes.ts'
import { casesOf, runCases } from '../vectors.ts'

type Labels = Readonly<Record<string, string>>

type Expected = { readonly checks: Readonly<Record<string, Checks>> }

describe('label-reconcile vectors', () => {
  const cases = casesOf<Scenario, Expected>('label-reconcile')
  runCases('label-reconcile', cases, (scenario, { checks }) => play(scenario, checks))
})

describe('what is written', () => {
  it.each<{ when: string; labels: Labels | undefined }>([
    { when: 'a node has no labels', labels: undefined },
    { when: 'the copies agree', labels: { 'kubernetes.io/os': 'a', 'beta.kubernetes.io/os': 'a' } },
    { when: 'only a copy exists', labels: { 'beta.kubernetes.io/arch': 'arm64' } },
  ])('$when: nothing', ({ labels }) => {
    const node = knownNode({ metadata: { name: 'n1', labels } })
    const seen = { current: undefined, isNew: false, maySwap: false, nowMs: 0 }
    expect(planNode(node, seen, undefined, 0)).toBeUndefined()
  })
})
