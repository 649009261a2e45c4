import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodes as nodeResource } from '../../../../shared/kube/node/resource.ts'
import type { ConditionStatus, Node, Taint } from '../../../../shared/kube/objects.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import {
  askCloud,
  type CloudAnswer,
  type CloudInstances,
  type InstanceRef,
  judgeInstance,
  SHUTDOWN_TAINT,
} from '../../../../shared/lifecycle/cloud/cloud.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { WriteStep } from '../../../../shared/store/ports.ts'
import { SmallFleet } from '../../../functions/monitor/small-fleet.ts'
import { wrappedStore } from '../../../store-doubles/wrapped-store.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Provider {
  readonly exists?: boolean
  readonly existsError?: string
  readonly shutdown?: boolean
  readonly lookup?: string | { readonly error: string }
  readonly deleteError?: string
}

interface Pass {
  readonly ready: ConditionStatus | null
  readonly providerID: string
  readonly cloud: Provider
  readonly taints: readonly string[]
}

type Given = { readonly kind: string } & Pass

interface Expected {
  readonly action: string
  readonly calls: readonly string[]
  readonly events: readonly object[]
}

describe('cloud-node-lifecycle vectors', () => {
  const file = 'cloud-node-lifecycle'
  runCases(file, casesOf<Given, Expected>(file), async (given, { calls, ...expected }) => {
    const { asked, ...got } = await onePass(given)
    expect(got).toEqual(expected)
    // Our port is one question; Kubernetes asks several, but it asks exactly when we do.
    expect(asked.length > 0).toBe(calls.length > 0)
    const { providerID } = given
    const wanted = providerID === '' ? { name: NODE } : { providerID }
    for (const instance of asked) expect(instance).toEqual(wanted)
  })
})

const NODE = 'node0'

/** The monitor's own check, in a fleet of one host, which has just reported. */
async function onePass({ ready, providerID, cloud, taints }: Pass) {
  const asked: InstanceRef[] = []
  const deletions: WriteStep[] = []
  const find = async (instance: InstanceRef) => {
    asked.push(instance)
    return answerOf(cloud)
  }
  const fleet = new SmallFleet({
    deps: { instances: { find } },
    store: (clock) =>
      wrappedStore(memoryStore({ clock }), {
        call: (name, act, args) => {
          const steps = name === 'commit' ? (args[0] as readonly WriteStep[]) : []
          const ours = steps.filter((step) => step.do === 'deleteObject')
          deletions.push(...ours)
          if (ours.length === 0 || !cloud.deleteError) return act()
          throw new StatusError(503, 'ServiceUnavailable', cloud.deleteError)
        },
      }),
  })
  await fleet.addNode(NODE)
  const believed = (await fleet.node(NODE))!
  const { spec, status } = nodeOf({ ready, providerID, taints })
  const object = { ...believed.object, spec, status } as Node
  const fields = nodeResource.selectable(object)
  await fleet.must([{ do: 'replaceObject', believed, object, fields, receivedAtMs: fleet.nowMs }])
  await fleet.tick()
  const after = (await fleet.node(NODE))?.object as Node | undefined
  const action = deletions.length > 0 ? 'delete' : actionOn(object, after)
  const { items } = await fleet.store.objects.list('events', {})
  const inOrder = items.toSorted((one, other) => one.createdVersion - other.createdVersion)
  const events = inOrder.map(({ object }) => object as { type?: string; reason?: string })
  return { action, events: events.map(({ type, reason }) => ({ type, reason })), asked }
}

/** `SHUTDOWN_TAINT` as a whole is what the vectors say of it. */
function actionOn(before: Node, after: Node | undefined): string {
  const [had, has] = [before, after].map((node) =>
    node?.spec?.taints?.some((taint) => isDeepStrictEqual(taint, SHUTDOWN_TAINT)),
  )
  if (had === has) return 'none'
  return has ? 'addShutdownTaint' : 'removeShutdownTaint'
}

/** What a provider in that state answers through our port. */
function answerOf(cloud: Provider): CloudAnswer {
  if (typeof cloud.lookup === 'object') throw new Error(cloud.lookup.error)
  if (cloud.existsError) throw new Error(cloud.existsError)
  if (!cloud.exists) return 'gone'
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

describe('the shutdown taint', () => {
  const isOff = (taint: Taint) =>
    judgeInstance({ ...nodeOf({ ready: 'False' }), spec: { taints: [taint] } }, 'shutdown').kind

  it('is the same with any value, and another with any other effect', () => {
    expect(isOff({ ...SHUTDOWN_TAINT, value: 'x' })).toBe('none')
    expect(isOff({ ...SHUTDOWN_TAINT, effect: 'NoExecute' })).toBe('addShutdownTaint')
  })

  it('that is not there is not removed', () => {
    expect(judgeInstance(nodeOf({ ready: 'True' }), 'running')).toEqual({ kind: 'none' })
  })

  it('goes when the node is Ready', () => {
    const back = nodeOf({ ready: 'True', taints: ['shutdown', 'other'] })
    expect(judgeInstance(back, 'running')).toMatchObject({
      kind: 'removeShutdownTaint',
      taints: [{ key: 'other' }],
    })
  })
})
