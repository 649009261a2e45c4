import { describe, expect, it } from 'vitest'
import { eventSchema } from '../../../shared/kube/event/schema.ts'
import { leases } from '../../../shared/kube/lease/resource.ts'
import { deleteOptionsSchema } from '../../../shared/kube/meta/delete-options-schema.ts'
import { namespaces } from '../../../shared/kube/namespace/resource.ts'
import { nodeSchema } from '../../../shared/kube/node/schema.ts'
import { podSchema } from '../../../shared/kube/pod/schema.ts'
import { bindingSchema, evictionSchema } from '../../../shared/kube/pod/subresource-schemas.ts'
import {
  selfSubjectAccessReviewSchema,
  selfSubjectReviewSchema,
  selfSubjectRulesReviewSchema,
} from '../../../shared/kube/review/schema.ts'
import { type ObjectSchema, type Schema, shortName } from '../../../shared/kube/schema.ts'

const kinds = [
  ...[bindingSchema, deleteOptionsSchema, eventSchema, evictionSchema, leases.schema],
  ...[namespaces.schema, nodeSchema, podSchema, selfSubjectAccessReviewSchema],
  ...[selfSubjectReviewSchema, selfSubjectRulesReviewSchema],
]

/** The schema and all it is made of. */
function allParts(schema: Schema): Schema[] {
  if (schema.type === 'object') {
    return [schema, ...Object.values(schema.fields).flatMap((field) => allParts(field.schema))]
  }
  return schema.type === 'list' || schema.type === 'map'
    ? [schema, ...allParts(schema.of)]
    : [schema]
}

const objectsOf = (schema: Schema): ObjectSchema[] =>
  allParts(schema).filter((part) => part.type === 'object')

describe.each(kinds.map((schema) => ({ kind: shortName(schema), schema })))(
  '$kind',
  ({ schema }) => {
    it('carries its apiVersion and kind', () => {
      expect(Object.keys(schema.fields).slice(0, 2)).toEqual(['apiVersion', 'kind'])
    })

    it('gives no protobuf number twice within a message', () => {
      for (const { name, fields } of objectsOf(schema)) {
        const numbers = Object.values(fields).flatMap(({ proto }) => proto ?? [])
        expect(new Set(numbers).size, name).toBe(numbers.length)
      }
    })

    it('explains every member in a sentence', () => {
      const docs = objectsOf(schema).flatMap(({ doc, fields }) => [
        doc,
        ...Object.values(fields).map((field) => field.doc),
      ])
      expect(docs.filter((doc) => !/^[A-Za-z].*[.?…]$/s.test(doc))).toEqual([])
    })

    it('merges lists only by members their elements have', () => {
      for (const part of allParts(schema)) {
        if (part.type !== 'list' || part.mergeKey === undefined) continue
        if (part.of.type === 'object') expect(Object.keys(part.of.fields)).toContain(part.mergeKey)
        else expect(part.of.type).toBe('any')
      }
    })

    it('uses one description for one OpenAPI name', () => {
      const byName = new Map<string, ObjectSchema>()
      for (const part of objectsOf(schema)) {
        expect(byName.get(part.name) ?? part).toBe(part)
        byName.set(part.name, part)
      }
    })
  },
)

it('merges the lists of spec/wire.md section 9 by the keys it names', () => {
  const keyed = (schema: Schema): string[] =>
    objectsOf(schema).flatMap((part) =>
      Object.entries(part.fields).flatMap(([name, { schema: list }]) => {
        if (list.type !== 'list' || (list.mergeKey === undefined && !list.set)) return []
        return [`${shortName(part)}.${name}: ${list.mergeKey ?? 'set'}`]
      }),
    )
  expect(keyed(leases.schema)).toEqual([
    'ObjectMeta.ownerReferences: uid',
    'ObjectMeta.finalizers: set',
  ])
  expect(keyed(nodeSchema)).toEqual([
    ...keyed(leases.schema),
    'NodeSpec.podCIDRs: set',
    'NodeStatus.conditions: type',
    'NodeStatus.addresses: type',
  ])
  expect(keyed(podSchema)).toEqual(
    expect.arrayContaining([
      ...['PodSpec.containers: name', 'PodSpec.volumes: name', 'PodSpec.imagePullSecrets: name'],
      ...[
        'PodSpec.initContainers: name',
        'PodSpec.ephemeralContainers: name',
        'Container.env: name',
      ],
      ...['Container.ports: containerPort', 'Container.volumeMounts: mountPath'],
      ...['Container.volumeDevices: devicePath', 'PodSpec.hostAliases: ip'],
      ...['PodSpec.topologySpreadConstraints: topologyKey', 'PodStatus.conditions: type'],
      ...['PodStatus.podIPs: ip', 'PodStatus.hostIPs: ip'],
    ]),
  )
})
