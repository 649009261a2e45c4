import { describe, expect, it } from 'vitest'
import {
  type Api,
  chooseNode,
  reschedule,
  TEMPLATE,
} from '../../../examples/reschedule/reschedule.ts'
import type { Node, Pod, Taint } from '../../../shared/kube/objects.ts'

interface Traits {
  readonly labels?: Readonly<Record<string, string>>
  readonly ready?: 'True' | 'False' | 'Unknown'
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
}

const node = (name: string, zone: string, traits: Traits = {}): Node => ({
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone, ...traits.labels } },
  spec: { unschedulable: traits.unschedulable, taints: traits.taints },
  status: { conditions: [{ type: 'Ready', status: traits.ready ?? 'True' }] },
})
const lost = node('lost', 'a', { ready: 'Unknown' })
const dedicated: Taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' }
const containers = [{ name: 'main', image: 'web' }]

describe('chooseNode', () => {
  const choose = (nodes: readonly Node[], spec = {}, from = 'lost') =>
    chooseNode([lost, ...nodes], { containers, ...spec }, { from, seed: 'u' })
  const toleration = { key: 'dedicated', operator: 'Exists' }

  it.each([
    { when: 'it is in the same zone', nodes: [node('n', 'a')], chosen: undefined },
    { when: 'it is in another zone', nodes: [node('n', 'b')], chosen: 'n' },
    { when: 'it is not ready', nodes: [node('n', 'b', { ready: 'False' })], chosen: undefined },
    { when: 'it is cordoned', nodes: [node('n', 'b', { unschedulable: true })], chosen: undefined },
    {
      when: 'it has a taint that is not tolerated',
      nodes: [node('n', 'b', { taints: [dedicated] })],
      chosen: undefined,
    },
    {
      when: 'it has a taint that is tolerated',
      nodes: [node('n', 'b', { taints: [dedicated] })],
      spec: { tolerations: [toleration] },
      chosen: 'n',
    },
    {
      when: 'its labels do not match',
      nodes: [node('n', 'b')],
      spec: { nodeSelector: { disk: 'ssd' } },
      chosen: undefined,
    },
    {
      when: 'its labels match',
      nodes: [node('n', 'b', { labels: { disk: 'ssd' } })],
      spec: { nodeSelector: { disk: 'ssd' } },
      chosen: 'n',
    },
    { when: 'the lost node is forgotten', nodes: [node('n', 'a')], from: 'gone', chosen: 'n' },
  ])('a node when $when: $chosen', ({ nodes, spec, from, chosen }) => {
    expect(choose(nodes, spec, from)).toBe(chosen)
  })
})

describe('reschedule', () => {
  const template = { labels: { app: 'web' }, spec: { containers, nodeName: 'lost' } }
  const event = { object: { name: 'web', namespace: 'shop', uid: 'u1' }, change: { node: 'lost' } }
  const old: Pod = {
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      annotations: { [TEMPLATE]: JSON.stringify(template) },
    },
  }

  /** The few requests that it makes, over pods and bindings in memory. */
  function service(nodes: readonly Node[], pods: readonly Pod[]) {
    const byName = new Map(pods.map((pod) => [pod.metadata.name ?? '', pod]))
    const bindings = new Map<string, string>()
    const api: Api = {
      async send(method, path, body) {
        const [, name = '', binding] = /\/pods\/([^/]+)(\/binding)?$/.exec(path) ?? []
        if (path === '/api/v1/nodes') return { code: 200, body: { items: nodes } }
        if (method === 'GET') return { code: byName.has(name) ? 200 : 404, body: byName.get(name) }
        if (binding) {
          if (bindings.has(name)) return { code: 409 }
          bindings.set(name, (body as { target: { name: string } }).target.name)
          return { code: 201 }
        }
        const pod = body as Pod
        if (byName.has(pod.metadata.name ?? '')) return { code: 409 }
        byName.set(pod.metadata.name ?? '', pod)
        return { code: 201 }
      },
    }
    return { api, byName, bindings }
  }

  it('makes the pod anew, binds it once, and does nothing when the event comes again', async () => {
    const { api, byName, bindings } = service([lost, node('n', 'b')], [old])
    const moved = await reschedule(api, event)
    expect(moved).toMatchObject({ kind: 'moved', node: 'n' })
    const [name, target] = [...bindings][0]!
    expect(target).toBe('n')
    expect(name).toMatch(/^web-m[0-9a-f]{8}$/)
    const made = byName.get(name)!
    expect(made.metadata.labels).toEqual({ app: 'web' })
    expect(made.spec).toMatchObject({ containers })
    expect(made.spec?.nodeName).toBeUndefined()
    expect(await reschedule(api, event)).toEqual({ kind: 'already', pod: name })
    expect([byName.size, bindings.size]).toEqual([2, 1])
  })

  it('moves what it has moved under a name that does not grow', async () => {
    const { api, byName, bindings } = service([lost, node('n', 'b')], [old])
    await reschedule(api, event)
    const [first] = bindings.keys()
    byName.set(first!, {
      ...byName.get(first!)!,
      metadata: { ...byName.get(first!)!.metadata, uid: 'u2' },
    })
    const object = { name: first!, namespace: 'shop', uid: 'u2' }
    const again = await reschedule(api, { object, change: { node: 'n' } })
    // Zone b is lost now, and the only other node is not ready.
    expect(again.kind).toBe('waiting')
    const back = service([node('lost', 'a'), node('n', 'b')], [...byName.values()])
    const moved = await reschedule(back.api, { object, change: { node: 'n' } })
    expect(moved).toMatchObject({ kind: 'moved', node: 'lost' })
    expect([...back.bindings.keys()][0]).toMatch(/^web-m[0-9a-f]{8}$/)
  })

  it.each([
    { when: 'it is gone', pods: [], kind: 'left' },
    { when: 'another has its name', pods: [{ metadata: { name: 'web', uid: 'x' } }], kind: 'left' },
    { when: 'it has no template', pods: [{ metadata: { name: 'web', uid: 'u1' } }], kind: 'left' },
    { when: 'no node can take it', pods: [old], kind: 'waiting' },
  ])('a pod stays when $when', async ({ pods, kind }) => {
    const { api, bindings } = service([lost], pods)
    expect((await reschedule(api, event)).kind).toBe(kind)
    expect(bindings.size).toBe(0)
  })
})
