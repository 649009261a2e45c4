import { describe, expect, it } from 'vitest'
import { planPods, type TrackedPod } from '../../../agent/pods/plan.ts'
import type { Pod } from '../../../shared/kube/objects.ts'

const pod = (name: string, isEnding = false): Pod => ({
  metadata: {
    name,
    namespace: 'ns',
    uid: `uid-${name}`,
    ...(isEnding && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
})

describe('the plan', () => {
  const tracked = (name: string, state: TrackedPod['state']) =>
    new Map([[`uid-${name}`, { pod: pod(name), state }]])

  it.each([
    { when: 'a pod is new', listed: [pod('a')], tracked: new Map(), does: ['start'] },
    { when: 'it runs', listed: [pod('a')], tracked: tracked('a', 'started'), does: [] },
    {
      when: 'it shall end',
      listed: [pod('a', true)],
      tracked: tracked('a', 'started'),
      does: ['stop'],
    },
    {
      when: 'it shall end and we know nothing',
      listed: [pod('a', true)],
      tracked: new Map(),
      does: ['stop'],
    },
    {
      when: 'it was stopped',
      listed: [pod('a', true)],
      tracked: tracked('a', 'stopped'),
      does: ['confirm'],
    },
    {
      when: 'a lagging index still lists it',
      listed: [pod('a', true)],
      tracked: tracked('a', 'gone'),
      does: [],
    },
    {
      when: 'it is listed no longer',
      listed: [],
      tracked: tracked('a', 'started'),
      does: ['stopIfGone'],
    },
    {
      when: 'its start did not succeed',
      listed: [pod('a')],
      tracked: tracked('a', 'attempted'),
      does: ['start'],
    },
    {
      when: 'it is listed no longer and its start did not succeed',
      listed: [],
      tracked: tracked('a', 'attempted'),
      does: ['stopIfGone'],
    },
    {
      when: 'one begins and another ends',
      listed: [pod('a'), pod('b', true)],
      tracked: new Map(),
      does: ['stop', 'start'],
    },
    {
      when: 'it has finished',
      listed: [{ ...pod('a'), status: { phase: 'Succeeded' } }],
      tracked: new Map(),
      does: [],
    },
  ])('$when: $does', ({ listed, tracked, does }) => {
    expect(planPods(listed, tracked, new Set()).map(({ kind }) => kind)).toEqual(does)
  })

  it('leaves alone what is under way', () => {
    expect(planPods([pod('a')], new Map(), new Set(['uid-a']))).toEqual([])
  })
})
