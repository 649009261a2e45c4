/**
 * What is a resource? A small description, as in a Kubernetes registry strategy: names, scope,
 * verbs, how it is defaulted, validated and printed. One generic path in the api serves them all.
 */
import type { KubeObject } from './objects.ts'
import type { ObjectSchema } from './schema.ts'
import type { FieldError } from './status-error.ts'

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'

/** Verbs whose request names a collection, narrowed by selectors. */
export const isCollectionVerb = (verb: Verb): boolean =>
  verb === 'list' || verb === 'watch' || verb === 'deletecollection'

export const EVERY_VERB: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: 'v1'
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  readonly schema: ObjectSchema
  readonly columns: readonly Column<T>[]
  /** Marks a row, as `Completed` does for finished pods. */
  rowConditions?(object: T): readonly RowCondition[]

  /** Every field that a fieldSelector may name, with its value; absent ones are empty. */
  selectable(object: T): Readonly<Record<string, string>>

  /** PUT to a missing object creates it (Lease). */
  readonly createOnUpdate: boolean
  /** PUT without a resourceVersion overwrites (Node); otherwise it is 422 (Lease). */
  readonly unconditionalUpdate: boolean

  /** Decoding defaults, the same for every verb: idempotent, no clock. */
  withDefaults(object: T): T
  /** What admission and the strategy add or strip on create. */
  prepareForCreate(object: T): T
  /** Puts back what this path may not change: status on the main path, spec on `status`. */
  prepareForUpdate(object: T, old: T, subresource?: string): T
  validateCreate(object: T): readonly FieldError[]
  validateUpdate(object: T, old: T, subresource?: string): readonly FieldError[]
  /** What the client is told in Warning headers, judged from the object as it was sent. */
  warnings?(object: T, subresource?: string): readonly string[]

  /** Set where the objects are those of another resource, shown in another form. */
  readonly storedForm?: StoredForm<T>
}

/** Two groups may serve the same objects. They are stored in the form of one of them. */
export interface StoredForm<T extends KubeObject = KubeObject> {
  readonly resource: Resource
  /** Nothing is lost either way. */
  fromStored(object: KubeObject): T
  toStored(object: T): KubeObject
  /** By what a fieldSelector names: what the field is called in the stored form. */
  readonly fieldNames: Readonly<Record<string, string>>
}

export interface Subresource {
  readonly name: string
  /** Set where the body is another kind: pods/eviction takes a policy/v1 Eviction. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly Verb[]
}

export const STATUS: Subresource = { name: 'status', verbs: ['get', 'patch', 'update'] }

export interface Column<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly format: '' | 'name'
  readonly description: string
  /** 0 is always printed, 1 with `-o wide`. */
  readonly priority: 0 | 1
  cell(object: T, nowMs: number): string | number | boolean
}

export interface RowCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** `v1`, `coordination.k8s.io/v1`. */
export const groupVersion = ({ group, version }: { group: string; version: string }): string =>
  group ? `${group}/${version}` : version
