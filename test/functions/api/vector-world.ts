/**
 * What the vector suites of leases and nodes share: seeding what is stored, and comparing what came
 * back.
 */
import { expect } from 'vitest'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { findResource } from '../../../shared/kube/registry.ts'
import type { VectorCase } from '../../vectors.ts'
import type { Reply, World } from './world.ts'

export async function addNamespace({ store }: World, name: string, terminating = false) {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      uid: `namespace-${name}`,
      ...(terminating && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
  }
  await store.commit([{ do: 'createObject', resource: 'namespaces', object, fields: {} }])
}

/**
 * Puts an object where no request could, such as one that breaks today's rules. Its version comes
 * back.
 */
export async function plant(world: World, plural: string, object: KubeObject): Promise<string> {
  const group = plural === 'leases' ? 'coordination.k8s.io' : ''
  const resource = findResource(group, plural)!
  const { kind } = resource
  const apiVersion = plural === 'leases' ? 'coordination.k8s.io/v1' : 'v1'
  const complete = resource.withDefaults({ apiVersion, kind, ...object })
  if (plural === 'leases') {
    const made = await world.store.leases.create(complete)
    if (made.kind !== 'created') throw new Error('the lease is there already')
    return made.now.object.metadata.resourceVersion!
  }
  const fields = resource.selectable(complete)
  const made = await world.store.commit([
    { do: 'createObject', resource: plural, object: complete, fields },
  ])
  if (made.kind !== 'committed') throw new Error('the object is there already')
  return String(made.versions[0])
}

/** The version a vector calls by its own number, as the store has it. */
export function translated(object: KubeObject, old: KubeObject | undefined, actual: string) {
  const said = object.metadata?.resourceVersion
  if (said === undefined || said !== old?.metadata.resourceVersion) return object
  return { ...object, metadata: { ...object.metadata, resourceVersion: actual } }
}

export function compareStatus(reply: Reply, expected: VectorCase['expect']): void {
  expect(reply.status, reply.text).toBe(expected.status)
  if (expected.reason) expect(reply.body.reason).toBe(expected.reason)
  if (expected.errors?.length) expect(errorsOf(reply)).toEqual(distinct(expected.errors))
}

const errorsOf = ({ body }: Reply) =>
  distinct(
    (body.details.causes as { field: string; reason: string }[]).map(({ field, reason }) => ({
      field,
      type: reason.replace('FieldValue', ''),
    })),
  )

const distinct = (errors: readonly { field: string; type: string }[]) =>
  [...new Set(errors.map(({ field, type }) => `${type} at ${field}`))].sort()
