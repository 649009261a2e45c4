import { describe, expect, it } from 'vitest'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import { nodes } from '../../../../shared/kube/node/resource.ts'
import type { Node, Taint } from '../../../../shared/kube/objects.ts'
import { toTable } from '../../../../shared/kube/table.ts'
import { loadVectors, type VectorCase, withTimes } from '../../../vectors.ts'
import { create, pairs, update } from '../resource-writes.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const { cases } = loadVectors('node-validation')
const of = (kind: string) => cases.filter(({ given }) => given.kind === kind)
const wire = (object: unknown) => withTimes(object, nowMs) as Node

// A cluster-wide object loses its namespace, and gets its version, before the resource sees it.
const received = (object: unknown, old?: Node): Node => {
  const node = wire(object)
  const { namespace: _, ...metadata } = node.metadata
  const resourceVersion = metadata.resourceVersion ?? old?.metadata.resourceVersion
  return { ...node, metadata: { ...metadata, resourceVersion } }
}

// Sloppy blocks were accepted before 1.36; here they never were.
const strict = ({ given }: VectorCase) => given.strictCIDR !== false

describe('node-validation vectors', () => {
  it.each(of('create').filter(strict))('create: $name', ({ given, expect: wanted }) => {
    const { stored, errors } = create(nodes, received(given.object))
    expect(pairs(errors)).toEqual(pairs(wanted.errors))
    expectStored(stored, wanted.stored)
  })

  const judgedHere = ({ given, expect }: VectorCase) =>
    given.old && [200, 422].includes(expect.status)
  const updates = [...of('update'), ...of('status')].filter(judgedHere)
  it.each(updates)('$name', ({ given, expect: wanted }) => {
    const old = wire(given.old)
    const path = given.kind === 'status' ? 'status' : undefined
    const { stored, errors } = update(nodes, { object: received(given.object, old), old, path })
    expect(pairs(errors)).toEqual(pairs(wanted.errors))
    expectStored(stored, wanted.stored)
  })

  it.each(of('podCIDRSync'))('one value in two fields: $name', ({ given, expect: wanted }) => {
    const { spec } = nodes.withDefaults({ metadata: { name: 'abc' }, spec: given.input })
    expect(spec?.podCIDRs ?? []).toEqual(wanted.stored)
    expect(spec?.podCIDR).toBe(wanted.stored[0])
  })

  it.each(of('admission'))('admission: $name', ({ given, expect: wanted }) => {
    expect(create(nodes, wire(given.object)).stored.spec?.taints).toEqual(wanted.taints)
  })

  const selectors = of('selectors').filter((one) => one.expect.fields)
  it.each(selectors)('selectors: $name', ({ given, expect: wanted }) => {
    const resource = given.resource === 'nodes' ? nodes : leases
    expect(Object.keys(resource.selectable({ metadata: {} })).sort()).toEqual(wanted.fields)
  })

  it('plays most of the file', () => {
    const others = [...of('podCIDRSync'), ...of('admission'), ...selectors]
    const played = of('create').filter(strict).length + updates.length + others.length
    expect(played).toBeGreaterThanOrEqual(78)
  })
})

function expectStored({ metadata, spec, status }: Node, wanted: Record<string, unknown> = {}) {
  const actual: Record<string, unknown> = {
    ...{ labels: metadata.labels, annotations: metadata.annotations },
    namespace: metadata.namespace ?? null,
    allocatable: status?.allocatable,
    conditions: status?.conditions?.length,
    unschedulable: spec?.unschedulable,
    configSource: spec && 'configSource' in spec ? spec.configSource : null,
  }
  for (const [member, value] of Object.entries(wanted)) expect(actual[member]).toEqual(value)
}

describe('node-create-taint vectors', () => {
  const named = (taints: readonly Taint[]) =>
    taints.map(({ value, ...rest }) => ({ ...rest, value: value ?? '' }))

  it.each(loadVectors('node-create-taint').cases)('$name', ({ given, expect: wanted }) => {
    const node: Node = { metadata: { name: 'abc' }, spec: { taints: given.taints } }
    const creates = given.operation === 'CREATE' && given.subresource === ''
    const { stored } = creates
      ? create(nodes, node)
      : update(nodes, { object: node, old: node, path: given.subresource || undefined })
    expect(named(stored.spec?.taints ?? [])).toEqual(named(wanted.taints))
  })
})

describe('a node', () => {
  it('is complete for every client, however little was sent', () => {
    const node = nodes.withDefaults({
      metadata: { name: 'a' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    })
    expect(node.spec).toEqual({})
    expect(Object.keys(node.status?.nodeInfo ?? {})).toHaveLength(10)
    expect(node.status?.daemonEndpoints).toEqual({ kubeletEndpoint: { Port: 0 } })
    expect(node.status?.conditions?.[0]).toMatchObject({
      lastHeartbeatTime: null,
      lastTransitionTime: null,
    })
  })

  it('defaults to the same node twice', () => {
    const node = nodes.withDefaults({
      metadata: { name: 'a' },
      spec: { podCIDRs: ['10.0.0.0/24'] },
      status: { capacity: { cpu: '4' } },
    })
    expect(nodes.withDefaults(node)).toEqual(node)
  })

  it('warns of blocks that are right but oddly written, and of repeated owners', () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1' }
    const node: Node = {
      metadata: { name: 'a', ownerReferences: [owner, owner] },
      spec: { podCIDRs: ['2001:DB8:0:0:1::/80'], externalID: 'x' },
    }
    expect(nodes.warnings?.(node)).toEqual([
      expect.stringContaining('duplicate UID(s) observed: u1'),
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
      'spec.podCIDRs[0]: IPv6 CIDR value "2001:DB8:0:0:1::/80" should be in RFC 5952 canonical ' +
        'format ("2001:db8:0:0:1::/80")',
    ])
    expect(create(nodes, node).stored.metadata.ownerReferences).toEqual([owner])
    expect(nodes.warnings?.(node, 'status')).toHaveLength(1)
  })
})

describe('a node as a line', () => {
  const ready = [{ type: 'Ready', status: 'True' as const }]
  const cellsOf = (node: Node) => {
    const { columnDefinitions, rows } = toTable({ resource: nodes, objects: [node], nowMs })
    const names = columnDefinitions?.map(({ name }) => name) ?? []
    return Object.fromEntries(names.map((name, i) => [name, rows[0]?.cells[i]]))
  }

  it('has the columns of kubectl, the last five wide', () => {
    const wide = nodes.columns.filter(({ priority }) => priority === 1)
    expect(nodes.columns.map(({ name }) => name).join(' ')).toBe(
      'Name Status Roles Age Version Internal-IP External-IP OS-Image Kernel-Version Container-Runtime',
    )
    expect(wide).toHaveLength(5)
  })

  it.each<{ when: string; node: Node; cells: Record<string, string> }>([
    {
      when: 'nothing is known',
      node: { metadata: { name: 'a' } },
      cells: {
        Name: 'a',
        Status: 'Unknown',
        Roles: '<none>',
        Age: '<unknown>',
        Version: '',
        'Internal-IP': '<none>',
        'External-IP': '<none>',
        'OS-Image': '<unknown>',
        'Kernel-Version': '<unknown>',
        'Container-Runtime': '<unknown>',
      },
    },
    {
      when: 'it is ready and cordoned',
      node: { metadata: {}, spec: { unschedulable: true }, status: { conditions: ready } },
      cells: { Status: 'Ready,SchedulingDisabled' },
    },
    {
      when: 'its condition is Unknown',
      node: { metadata: {}, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      cells: { Status: 'NotReady' },
    },
    {
      when: 'it has roles in both forms',
      node: {
        metadata: {
          labels: {
            'node-role.kubernetes.io/worker': '',
            'node-role.kubernetes.io/edge': '',
            'kubernetes.io/role': 'worker',
          },
        },
      },
      cells: { Roles: 'edge,worker' },
    },
    {
      when: 'it has two addresses of a type',
      node: {
        metadata: {},
        status: {
          addresses: [
            { type: 'InternalIP', address: '10.0.0.1' },
            { type: 'InternalIP', address: 'fd00::1' },
          ],
        },
      },
      cells: { 'Internal-IP': '10.0.0.1', 'External-IP': '<none>' },
    },
  ])('$when', ({ node, cells }) => {
    expect(cellsOf(node)).toMatchObject(cells)
  })

  it('names the architecture beside the kernel', () => {
    const node = nodes.withDefaults({ metadata: { name: 'a' } })
    const nodeInfo = { ...node.status!.nodeInfo!, kernelVersion: '6.1.0', architecture: 'arm64' }
    expect(cellsOf({ ...node, status: { nodeInfo } })).toMatchObject({
      'Kernel-Version': '6.1.0 (arm64)',
    })
  })
})

describe('a node without taints', () => {
  it('has no list of them', () => {
    const bare = { metadata: { name: 'n' }, spec: { taints: [], unschedulable: true } }
    expect(nodes.withDefaults(bare).spec).toEqual({ unschedulable: true })
    const tainted = { ...bare, spec: { taints: [{ key: 'a', effect: 'NoSchedule' as const }] } }
    expect(nodes.withDefaults(tainted).spec?.taints).toHaveLength(1)
  })
})
