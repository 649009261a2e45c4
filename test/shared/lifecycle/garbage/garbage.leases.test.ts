import { describe, expect, it } from 'vitest'
import { orphanLease } from '../../../../functions/api/nodes/node-lease.ts'
import type { OwnerReference } from '../../../../shared/kube/objects.ts'
import { judgeLease } from '../../../../shared/lifecycle/garbage/garbage.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import { casesOf, runCases } from '../vectors.ts'

interface Given {
  readonly kind: string
  readonly ownerReferences?: readonly OwnerReference[]
  readonly node?: { readonly name: string; readonly uid: string } | null
  readonly propagationPolicy?: string
  readonly nodeDeletedWhileAgentRuns?: boolean
}

interface Expected {
  readonly deleted: boolean
  readonly remainingOwners?: readonly string[]
}

describe('lease-controller vectors: gc', () => {
  // How an agent outlives its Node is for the agent to play: test/agent/lease/controller.vectors.test.ts.
  const cases = casesOf<Given, Expected>('lease-controller').filter(
    ({ given }) => given.kind === 'gc' && !given.nodeDeletedWhileAgentRuns,
  )
  runCases('lease-controller', cases, async (given, expected) => {
    const { node } = given
    const owners = await ownersAfter(given)
    const verdict = judgeLease(owners, (name) => (node?.name === name ? node.uid : undefined))

    expect(verdict.kind === 'delete').toBe(expected.deleted)
    const left = verdict.kind === 'trim' ? verdict.ownerReferences : owners
    if (expected.remainingOwners) expect(left.map((o) => o.uid)).toEqual(expected.remainingOwners)
  })
})

/** The orphan policy removes the references as part of the node's deletion, which is the api's. */
async function ownersAfter({ ownerReferences = [], propagationPolicy }: Given) {
  if (propagationPolicy !== 'Orphan') return ownerReferences
  const store = memoryStore({ clock: () => 0 })
  const [{ name, uid }] = ownerReferences as [OwnerReference]
  const key = { namespace: 'kube-node-lease', name }
  await store.leases.create({ metadata: { ...key, uid: 'lease', ownerReferences }, spec: {} })
  await orphanLease(store, { metadata: { name, uid } })
  return (await store.leases.get(key))?.object.metadata.ownerReferences ?? []
}

describe('owners', () => {
  const nodeUid = (name: string) => (name === 'n1' ? 'new' : undefined)
  const owner = (uid: string, kind = 'Node'): OwnerReference => ({
    apiVersion: 'v1',
    kind,
    name: 'n1',
    uid,
  })

  it.each([
    { when: 'the node was created anew', owners: [owner('old')], kind: 'delete' },
    { when: 'the node is the same', owners: [owner('new')], kind: 'keep' },
    { when: 'the owner is of a kind nobody here knows', owners: [owner('x', 'Job')], kind: 'keep' },
    { when: 'there is no owner list', owners: undefined, kind: 'keep' },
  ])('$when: $kind', ({ owners, kind }) => {
    expect(judgeLease(owners, nodeUid).kind).toBe(kind)
  })
})

it('an owner that only calls itself a Node cannot be looked up, and keeps the lease', () => {
  const owner = { apiVersion: 'example.com/v1', kind: 'Node', name: 'n1', uid: 'u' }
  expect(judgeLease([owner], () => undefined)).toEqual({ kind: 'keep' })
})
