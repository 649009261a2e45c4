/**
 * What the vector suites of leases and nodes share: seeding what is stored, and comparing what came
 * back.
 */
import { expect } from 'vitest'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Status } from '../../../shared/kube/status-error.ts'
import { parseTimeMs } from '../../../shared/kube/time.ts'
import { resourceNamed } from '../../builders/stored-object.ts'
import { loadVectors, type VectorCase } from '../../vectors.ts'
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
  const resource = resourceNamed(plural)
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

/** Of both files: their differences share a section of the page. */
export const titles = (): readonly { readonly name: string }[] =>
  ['lease-validation', 'node-validation']
    .flatMap((file) => loadVectors(file).cases)
    .map((vector) => ({ name: titleOf(vector) }))

interface Versioned {
  readonly resourceVersion?: string
}

/** The version a vector calls by its own number, as the store has it. */
function renumbered<T extends Versioned>(said: T, old: KubeObject | undefined, actual: string): T {
  const { resourceVersion } = said
  if (resourceVersion === undefined || resourceVersion !== old?.metadata.resourceVersion) {
    return said
  }
  return { ...said, resourceVersion: actual }
}

/** An object or a patch that speaks of the version that is stored. */
export function translated<T extends { readonly metadata?: Versioned }>(
  body: T,
  old: KubeObject | undefined,
  actual: string,
): T {
  if (!body.metadata) return body
  return { ...body, metadata: renumbered(body.metadata, old, actual) }
}

/** The same for the preconditions of a DELETE. */
export function translatedOptions(
  options: VectorCase['given'],
  old: KubeObject | undefined,
  actual: string,
) {
  if (!options?.preconditions) return options ?? {}
  return { ...options, preconditions: renumbered(options.preconditions, old, actual) }
}

/**
 * What docs/conformance.md calls this case. Where not the case but a rule behind it differs, the
 * page has a row for the rule.
 */
export function titleOf({ name, given, expect }: VectorCase): string {
  const { propagationPolicy, orphanDependents } = given.options ?? {}
  const waits = propagationPolicy === 'Foreground' || propagationPolicy === 'Orphan'
  if (expect.status === 200 && (waits || orphanDependents)) {
    return 'a deletion that waits for a garbage collector'
  }
  if (expect.status === 500) return 'a mistake of the client that is answered with 500'
  if (given.strictCIDR === false) return 'a block judged without strict checking'
  if (given.kind === 'timeFormat' && !expect.ok && parseTimeMs(given.text) !== undefined) {
    return 'a lease time with another number of digits than six'
  }
  return name
}

export function compareStatus(reply: Reply, expected: VectorCase['expect']): void {
  expect(reply.status, reply.text).toBe(expected.status)
  if (expected.reason) expect(reply.body.reason).toBe(expected.reason)
  compareErrors(reply.body, expected)
  if (expected.warnings !== undefined) {
    const warnings = reply.headers.get('warning')?.split('299 - ').slice(1) ?? []
    expect(warnings).toHaveLength(expected.warnings)
  }
}

export function compareErrors(body: Pick<Status, 'details'>, expected: VectorCase['expect']): void {
  if (expected.errors?.length) expect(errorsOf(body)).toEqual(distinct(expected.errors))
}

const errorsOf = ({ details }: Pick<Status, 'details'>) =>
  distinct(
    (details?.causes ?? []).map(({ field = '', reason }) => ({
      field,
      type: reason.replace('FieldValue', ''),
    })),
  )

const distinct = (errors: readonly { field: string; type: string }[]) =>
  [...new Set(errors.map(({ field, type }) => `${type} at ${field}`))].sort()
