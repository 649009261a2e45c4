import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import { nodeSchema } from '../../../../shared/kube/node/schema.ts'
import { applyForced, applyStrategicMerge } from '../../../../shared/kube/patch/strategic-merge.ts'
import { podSchema } from '../../../../shared/kube/pod/schema.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import vectors from '../../../vectors/node-status-setters.json' with { type: 'json' }
import { looseObject, unpolluted } from '../loose-object.ts'

const patchNode = (document: object, patch: object) =>
  applyStrategicMerge(document, patch, nodeSchema)
const patchPod = (document: object, patch: object) =>
  applyStrategicMerge(document, patch, podSchema)
const typed = (types: readonly string[]) => types.map((type) => ({ type, status: 'True' }))
const ip = (address: string) => ({ type: 'InternalIP', address })

describe('members', () => {
  it.each<{ when: string; document: object; patch: object; result: object }>([
    { when: 'it is empty', document: { spec: { a: 1 } }, patch: {}, result: { spec: { a: 1 } } },
    {
      when: 'kubectl cordons',
      document: { spec: {} },
      patch: { spec: { unschedulable: true } },
      result: { spec: { unschedulable: true } },
    },
    {
      when: 'kubectl uncordons',
      document: { spec: { unschedulable: true } },
      patch: { spec: { unschedulable: null } },
      result: { spec: {} },
    },
    {
      when: 'labels change',
      document: { metadata: { labels: { a: '1', b: '2' } } },
      patch: { metadata: { labels: { a: null, c: '3' } } },
      result: { metadata: { labels: { b: '2', c: '3' } } },
    },
    {
      when: 'an object replaces',
      document: { metadata: { labels: { a: '1' } } },
      patch: { metadata: { labels: { $patch: 'replace', b: '2' } } },
      result: { metadata: { labels: { b: '2' } } },
    },
    {
      when: 'an object is deleted',
      document: { metadata: { labels: { a: '1' } } },
      patch: { metadata: { labels: { $patch: 'delete' } } },
      result: { metadata: { labels: {} } },
    },
    {
      when: 'an object merges by name',
      document: { metadata: { labels: { a: '1' } } },
      patch: { metadata: { labels: { $patch: 'merge', b: '2' } } },
      result: { metadata: { labels: { a: '1', b: '2' } } },
    },
    {
      when: 'a member is new',
      document: {},
      patch: { spec: { podCIDR: 'x', providerID: null } },
      result: { spec: { podCIDR: 'x' } },
    },
    {
      when: 'the schema does not know it',
      document: { foo: { a: 1 } },
      patch: { foo: { b: [2] } },
      result: { foo: { a: 1, b: [2] } },
    },
  ])('merge when $when', ({ document, patch, result }) => {
    expect(patchNode(document, patch)).toEqual(result)
  })
})

describe('lists without a key', () => {
  it('are replaced whole', () => {
    const document = {
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { volumesInUse: ['v'] },
    }
    const patch = {
      spec: { taints: [{ key: 'b', effect: 'NoExecute' }] },
      status: { volumesInUse: [] },
    }
    expect(patchNode(document, patch)).toEqual(patch)
  })

  it('lose the directives that stand in them', () => {
    const taints = [{ $patch: 'replace' }, { key: 'b', $retainKeys: ['key'], value: null }]
    expect(patchNode({}, { spec: { taints } })).toEqual({ spec: { taints: [{ key: 'b' }] } })
  })
})

describe('lists with a key', () => {
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'r' },
    { type: 'DiskPressure', status: 'False' },
  ]
  const patchConditions = (patch: unknown, more: object = {}) =>
    (
      patchNode({ status: { conditions } }, { status: { conditions: patch, ...more } }) as {
        status: { conditions: object[] }
      }
    ).status.conditions

  it('merge element by element', () => {
    expect(
      patchConditions([{ type: 'Ready', status: 'False', reason: null }, { type: 'New' }]),
    ).toEqual([
      { type: 'Ready', status: 'False' },
      { type: 'DiskPressure', status: 'False' },
      { type: 'New' },
    ])
  })

  it('lose an element that is deleted', () => {
    expect(patchConditions([{ type: 'Ready', $patch: 'delete' }])).toEqual([conditions[1]])
  })

  it('are replaced when an element says so, wherever it stands', () => {
    expect(patchConditions([{ type: 'A' }, { $patch: 'replace' }])).toEqual([{ type: 'A' }])
    expect(patchConditions([{ $patch: 'replace' }, { type: 'A' }])).toEqual([{ type: 'A' }])
  })

  it.each([
    { when: 'an element has no key', list: [{ status: 'True' }] },
    { when: 'a deleted element has no key', list: [{ $patch: 'delete' }] },
    { when: 'the key is an object', list: [{ type: {} }] },
    { when: 'an element is not an object', list: ['Ready'] },
    { when: 'the directive does not exist', list: [{ type: 'Ready', $patch: 'explode' }] },
  ])('answer 400 when $when', ({ list }) => {
    expect(() => patchConditions(list)).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('take the order the client asks for', () => {
    const order = { '$setElementOrder/conditions': [{ type: 'DiskPressure' }, { type: 'Ready' }] }
    expect(patchConditions([{ type: 'Ready', status: 'False' }], order)).toEqual([
      conditions[1],
      { type: 'Ready', status: 'False', reason: 'r' },
    ])
  })

  it('take the order even when no element changes', () => {
    const patch = {
      status: { '$setElementOrder/conditions': [{ type: 'DiskPressure' }, { type: 'Ready' }] },
    }
    expect(patchNode({ status: { conditions } }, patch)).toEqual({
      status: { conditions: conditions.toReversed() },
    })
  })

  it('keep elements the client does not know where they were', () => {
    const document = { status: { conditions: typed(['S1', 'A', 'S2', 'B', 'S3']) } }
    const patch = {
      status: {
        conditions: typed(['N']),
        '$setElementOrder/conditions': [{ type: 'A' }, { type: 'N' }, { type: 'B' }],
      },
    }
    expect(patchNode(document, patch)).toEqual({
      status: { conditions: typed(['S1', 'A', 'N', 'S2', 'B', 'S3']) },
    })
  })

  it('change the first of several elements that share a key', () => {
    const document = { status: { addresses: [ip('1'), ip('2')] } }
    expect(patchNode(document, { status: { addresses: [ip('3')] } })).toEqual({
      status: { addresses: [ip('3'), ip('2')] },
    })
  })

  it('merge owners by uid and containers by name, environment included', () => {
    const owners = { metadata: { ownerReferences: [{ uid: 'u', name: 'a' }] } }
    expect(
      patchNode(owners, { metadata: { ownerReferences: [{ uid: 'u', name: 'b' }, { uid: 'v' }] } }),
    ).toEqual({
      metadata: { ownerReferences: [{ uid: 'u', name: 'b' }, { uid: 'v' }] },
    })
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ]
    const pod = {
      spec: { containers: [{ name: 'c', image: 'i', env, ports: [{ containerPort: 80 }] }] },
    }
    const change = {
      name: 'c',
      env: [{ name: 'B', $patch: 'delete' }],
      ports: [{ containerPort: 80, name: 'web' }],
    }
    expect(patchPod(pod, { spec: { containers: [change] } })).toEqual({
      spec: {
        containers: [
          { name: 'c', image: 'i', env: [env[0]], ports: [{ containerPort: 80, name: 'web' }] },
        ],
      },
    })
  })

  it('retain only the named members of a volume', () => {
    const volumes = [{ name: 'v', emptyDir: {} }]
    const change = { name: 'v', hostPath: { path: '/x' }, $retainKeys: ['name', 'hostPath'] }
    expect(patchPod({ spec: { volumes } }, { spec: { volumes: [change] } })).toEqual({
      spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    })
  })
})

describe('sets', () => {
  it.each<{ when: string; patch: object; result: string[] }>([
    { when: 'values are added', patch: { finalizers: ['b', 'c'] }, result: ['a', 'b', 'c'] },
    {
      when: 'a value is removed',
      patch: { '$deleteFromPrimitiveList/finalizers': ['a'] },
      result: ['b'],
    },
    {
      when: 'one goes and one comes',
      patch: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] },
      result: ['b', 'c'],
    },
    {
      when: 'they are ordered',
      patch: { '$setElementOrder/finalizers': ['b', 'a'] },
      result: ['b', 'a'],
    },
  ])('merge when $when', ({ patch, result }) => {
    expect(patchNode({ metadata: { finalizers: ['a', 'b'] } }, { metadata: patch })).toEqual({
      metadata: { finalizers: result },
    })
  })

  it.each(['$deleteFromPrimitiveList/finalizers', '$setElementOrder/finalizers', '$retainKeys'])(
    'answer 400 when %s is not a list',
    (directive) => {
      expect(() => patchNode({}, { metadata: { [directive]: 'a' } })).toThrow(
        expect.objectContaining({ code: 400 }),
      )
    },
  )
})

interface PatchBodyCase {
  readonly name: string
  readonly given: {
    readonly part: string
    readonly old?: { readonly addresses: object[] }
    readonly new?: { readonly addresses: object[] }
    readonly storedConditions?: string[]
    readonly patchConditions?: string[]
  }
  readonly expect: { readonly result?: object[]; readonly resultTypes?: string[] }
}

describe('the patch vectors', () => {
  const cases = (vectors.cases as unknown as PatchBodyCase[]).filter(
    ({ given }) => given.part === 'patchBody',
  )
  const named = (text: string) => cases.find(({ name }) => name.includes(text))!

  it('put reordered addresses into the new order', () => {
    const { given, expect: expected } = named('reordered addresses')
    const patch = { status: { addresses: [...given.new!.addresses, { $patch: 'replace' }] } }
    const result = patchNode({ status: given.old! }, patch)
    expect(result).toEqual({ status: { addresses: expected.result } })
  })

  it('take first addresses as an ordinary merge', () => {
    const { given } = named('first addresses')
    expect(patchNode({ status: given.old! }, { status: given.new! })).toEqual({ status: given.new })
  })

  it('let a condition from another writer survive', () => {
    const { given, expect: expected } = named('another writer')
    const patch = {
      status: {
        '$setElementOrder/conditions': given.patchConditions!.map((type) => ({ type })),
        conditions: typed(given.patchConditions!),
      },
    }
    const result = patchNode({ status: { conditions: typed(given.storedConditions!) } }, patch)
    expect(result).toEqual({ status: { conditions: typed(expected.resultTypes!) } })
  })
})

describe('applyForced', () => {
  it('sets what is named, merges keyed lists, replaces others, and null says nothing', () => {
    const document = {
      metadata: { labels: { a: '1' }, finalizers: ['x'] },
      spec: { taints: [{ key: 'a' }], unschedulable: true },
      status: { conditions: typed(['A', 'B']) },
    }
    const patch = {
      metadata: { labels: { b: '2' }, finalizers: ['y'] },
      spec: { taints: [{ key: 'b' }], unschedulable: null },
      status: { conditions: [{ type: 'B', status: 'False' }] },
    }
    expect(applyForced(document, patch, nodeSchema)).toEqual({
      metadata: { labels: { a: '1', b: '2' }, finalizers: ['x', 'y'] },
      spec: { taints: [{ key: 'b' }], unschedulable: true },
      status: {
        conditions: [
          { type: 'A', status: 'True' },
          { type: 'B', status: 'False' },
        ],
      },
    })
  })

  it('refuses managedFields', () => {
    const patch = { metadata: { managedFields: [] } }
    expect(() => applyForced({}, patch, nodeSchema)).toThrow(expect.objectContaining({ code: 400 }))
  })
})

describe('laws', () => {
  const schemas = fc.constantFrom(leases.schema, nodeSchema, podSchema)
  const functions = fc.constantFrom(applyStrategicMerge, applyForced)

  it('throws nothing but a StatusError, touches no input, stores no directive', () => {
    fc.assert(
      fc.property(
        functions,
        schemas,
        looseObject,
        looseObject,
        (apply, schema, document, patch) => {
          const texts = JSON.stringify([document, patch])
          try {
            const kept = JSON.stringify(apply({}, patch, schema))
            expect(kept).not.toMatch(
              /"\$(patch|retainKeys|setElementOrder|deleteFromPrimitiveList)/,
            )
            apply(document, patch, schema)
          } catch (error) {
            expect(error).toBeInstanceOf(StatusError)
          }
          expect(JSON.stringify([document, patch])).toBe(texts)
          unpolluted()
        },
      ),
      { numRuns: 400 },
    )
  })

  it('ends with exactly the stored and the sent elements, in whatever order', () => {
    const types = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E'))
    fc.assert(
      fc.property(types, types, types, (stored, sent, order) => {
        const patch = {
          status: {
            conditions: typed(sent),
            '$setElementOrder/conditions': order.map((type) => ({ type })),
          },
        }
        const once = patchNode({ status: { conditions: typed(stored) } }, patch) as object
        const all = (once as { status: { conditions: { type: string }[] } }).status.conditions
        expect(all.map(({ type }) => type).sort()).toEqual(
          [...new Set([...stored, ...sent])].sort(),
        )
      }),
    )
  })
})
