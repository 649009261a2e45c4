import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConditionStatus, Node, Taint } from '../../../../shared/kube/objects.ts'
import {
  askCloud,
  type CloudAnswer,
  type CloudInstances,
  deletionEvent,
  type InstanceRef,
  instanceOf,
  judgeInstance,
  needsAnswer,
  SHUTDOWN_TAINT,
} from '../../../../shared/lifecycle/cloud/cloud.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Provider {
  readonly exists?: boolean
  readonly existsError?: string
  readonly shutdown?: boolean
  readonly shutdownError?: string
  readonly lookup?: string | { readonly error: string }
  readonly deleteError?: string
}

interface Pass {
  readonly ready: ConditionStatus | null
  readonly api: 'v1' | 'v2'
  readonly providerID: string
  readonly cloud: Provider
  readonly taints: readonly string[]
}

type Given = { readonly kind: string } & Record<string, unknown>
type Answer = Record<string, unknown>

describe('cloud-node-lifecycle vectors', () => {
  const cases = casesOf<Given, Answer>('cloud-node-lifecycle')
  runCases('cloud-node-lifecycle', cases, async (given, expected) => {
    const { calls, ...rest } = expected
    const got = await answer(given)
    expect(got).toMatchObject(rest)
    // Our port is one question; Kubernetes asks several, but it asks exactly when we do.
    if (calls) expect(got.asked).toBe((calls as string[]).length > 0)
  })
})

function answer(given: Given): Promise<Answer> | Answer {
  if (given.kind === 'pass') return onePass(given as unknown as Pass)
  if (given.kind === 'providerID')
    return { ...instanceOf(nodeOf({ providerID: given.providerID })), asked: false }
  if (given.what === 'taint') return { value: '', timeAdded: null, ...SHUTDOWN_TAINT }
  if (given.what !== undefined) return {}
  return { ok: cloudProblem(settingsOf(given)) === undefined }
}

/**
 * This ships nowhere: Kubernetes refuses to start its check without a provider or workers; ours is
 * off without a provider, and how many nodes are asked about at a time is fixed.
 */
function cloudProblem({ cloud, workers }: ReturnType<typeof settingsOf>): string | undefined {
  if (!cloud) return 'name a cloud provider, or switch the cloud check off'
  return workers > 0 ? undefined : 'ask about at least one node at a time'
}

/** A provider with neither interface has nothing to put behind our port. */
function settingsOf({ workers, cloud, instances, instancesV2 }: Given) {
  const isAbsent = cloud === null || (instances === false && instancesV2 === false)
  const answering: CloudInstances = { find: async () => 'running' }
  return { workers: workers as number, cloud: isAbsent ? undefined : answering }
}

async function onePass({ ready, api, providerID, cloud, taints }: Pass): Promise<Answer> {
  const node = nodeOf({ ready, providerID, taints })
  let asked = false
  const instances: CloudInstances = {
    async find(instance) {
      asked = true
      return stateOf(cloud, api, instance)
    },
  }
  const { kind } = judgeInstance(
    node,
    needsAnswer(node) ? await askCloud(instances, node) : 'unknown',
  )
  const told = kind === 'delete' ? eventsOfDeletion(cloud.deleteError) : []
  return { action: kind, events: told, asked }
}

const knownNode = {
  resource: 'nodes',
  key: { namespace: '', name: 'node0' },
  uid: 'u',
  version: 1,
  object: {} as Node,
}

function eventsOfDeletion(failure: string | undefined) {
  const events = [deletionEvent(knownNode), ...(failure ? [deletionEvent(knownNode, failure)] : [])]
  return events.map(({ type, reason }) => ({ type, reason }))
}

/** What an adapter over either provider interface answers through our port. */
function stateOf(cloud: Provider, api: Pass['api'], instance: InstanceRef): CloudAnswer {
  const needsLookup = api === 'v1' && 'name' in instance
  if (needsLookup && cloud.lookup === 'notFound') return 'gone'
  if (needsLookup && typeof cloud.lookup === 'object') throw new Error(cloud.lookup.error)
  if (cloud.existsError) throw new Error(cloud.existsError)
  if (!cloud.exists) return 'gone'
  if (api === 'v1' && cloud.shutdownError === 'notImplemented') return 'running'
  if (cloud.shutdownError) throw new Error(cloud.shutdownError)
  return cloud.shutdown ? 'shutdown' : 'running'
}

function nodeOf(given: {
  readonly ready?: unknown
  readonly providerID?: unknown
  readonly taints?: unknown
}): Node {
  const taints = ((given.taints ?? []) as string[]).map(
    (name): Taint => (name === 'shutdown' ? SHUTDOWN_TAINT : { key: name, effect: 'NoSchedule' }),
  )
  const ready = given.ready as ConditionStatus | null | undefined
  return {
    metadata: { name: 'node0' },
    spec: { providerID: given.providerID as string, taints },
    status: { conditions: ready ? [{ type: 'Ready', status: ready }] : [] },
  }
}

describe('nobody knows', () => {
  const silent = nodeOf({ ready: 'Unknown', providerID: 'aws:///i-1' })

  it.each<{ when: string; cloud: CloudInstances | undefined }>([
    { when: 'there is no provider', cloud: undefined },
    { when: 'the provider fails', cloud: { find: () => Promise.reject(new Error('throttled')) } },
  ])('$when: nothing happens', async ({ cloud }) => {
    const answer = await askCloud(cloud, silent)
    expect(answer).toBe('unknown')
    expect(judgeInstance(silent, answer)).toEqual({ kind: 'none' })
  })
})

describe('laws', () => {
  const anyAnswer = fc.constantFrom<CloudAnswer>('running', 'shutdown', 'gone', 'unknown')
  const anyReady = fc.constantFrom<ConditionStatus | null>('True', 'False', 'Unknown', null)
  const anyTaints = fc.uniqueArray(fc.constantFrom('shutdown', 'other'))

  it('deletes only a node that is not Ready and definitely gone', () => {
    fc.assert(
      fc.property(anyAnswer, anyReady, anyTaints, (answer, ready, taints) => {
        const action = judgeInstance(nodeOf({ ready, taints }), answer)
        expect(action.kind === 'delete').toBe(answer === 'gone' && ready !== 'True')
      }),
    )
  })

  it("touches nobody else's taint", () => {
    fc.assert(
      fc.property(anyAnswer, anyReady, anyTaints, (answer, ready, taints) => {
        const action = judgeInstance(nodeOf({ ready, taints }), answer)
        if (!('taints' in action)) return
        const kept = action.taints.some(({ key }) => key === 'other')
        expect(kept).toBe(taints.includes('other'))
      }),
    )
  })
})
