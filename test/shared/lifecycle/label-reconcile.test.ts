import { describe, expect, it } from 'vitest'
import { reconcileLabels } from '../../../shared/lifecycle/label-reconcile.ts'
import { casesOf, runCases } from './vectors.ts'

type Labels = Readonly<Record<string, string>>

interface Step {
  readonly op: string
  readonly id?: string
  /** putNode carries a node, every other step its name. */
  readonly node?: string | { readonly name: string; readonly labels?: Labels }
  readonly labels?: Labels
}

interface Expected {
  readonly checks: Readonly<Record<string, { readonly labels?: Readonly<Record<string, Labels>> }>>
}

describe('label-reconcile vectors', () => {
  const cases = casesOf<{ steps: readonly Step[] }, Expected>('label-reconcile')
  runCases('label-reconcile', cases, ({ steps }, { checks }) => {
    const nodes = new Map<string, Labels>()
    for (const step of steps) take(step, nodes, checks)
  })
})

function take(step: Step, nodes: Map<string, Labels>, checks: Expected['checks']) {
  if (step.op === 'putNode' && typeof step.node === 'object') {
    nodes.set(step.node.name, step.node.labels ?? {})
  } else if (step.op === 'setLabels') nodes.set(String(step.node), step.labels ?? {})
  else if (step.op === 'deleteNode') nodes.delete(String(step.node))
  else if (step.op === 'labelPass') {
    const name = String(step.node)
    const labels = nodes.get(name)
    if (labels) nodes.set(name, reconcileLabels(labels) ?? labels)
  } else if (step.op === 'check') {
    const wanted = checks[step.id ?? '']?.labels ?? {}
    for (const [name, labels] of Object.entries(wanted)) expect(nodes.get(name)).toEqual(labels)
  } else throw new Error(`no such step: ${step.op}`)
}

describe('what is written', () => {
  it.each<{ when: string; labels: Labels | undefined }>([
    { when: 'a node has no labels', labels: undefined },
    { when: 'the copies agree', labels: { 'kubernetes.io/os': 'a', 'beta.kubernetes.io/os': 'a' } },
    { when: 'only a copy exists', labels: { 'beta.kubernetes.io/arch': 'arm64' } },
  ])('$when: nothing', ({ labels }) => {
    expect(reconcileLabels(labels)).toBeUndefined()
  })
})
