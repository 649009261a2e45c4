/**
 * OpenAPI v3, small: enough for kubectl to leave validation to the server (it looks for
 * `fieldValidation` on a patch) and to explain every field. Built at the first request from the
 * schemas that also drive decoding.
 */
import { fingerprint } from '../fnv.ts'
import { resources } from '../registry.ts'
import type { Verb } from '../resource.ts'
import { type Review, reviews } from '../review/resource.ts'
import { version } from '../version.ts'
import { componentSchemas } from './schema.ts'

type Json = Readonly<Record<string, unknown>>
type Described = Omit<Review, 'namespaced'> & { readonly namespaced: boolean }

interface OpenApiDocument {
  readonly text: string
  /** Of the text: the address changes when the document does, so it may be cached for ever. */
  readonly hash: string
}

const described: readonly Described[] = [...resources, ...reviews]

let documents: ReadonlyMap<string, OpenApiDocument> | undefined

/** By path below `/openapi/v3/`: `api/v1`, `apis/coordination.k8s.io/v1`. */
export function openApiDocuments(): ReadonlyMap<string, OpenApiDocument> {
  documents ??= new Map(
    [...new Set(described.map(({ group }) => group))]
      .sort()
      .map((group) => [root(group), document(described.filter((one) => one.group === group))]),
  )
  return documents
}

/** `GET /openapi/v3`. */
export function openApiIndex(): Json {
  const entries = [...openApiDocuments()].map(([path, { hash }]) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
  ])
  return { paths: Object.fromEntries(entries) }
}

const root = (group: string) => (group ? `apis/${group}/v1` : 'api/v1')

function document(ofGroup: readonly Described[]): OpenApiDocument {
  const schemas = componentSchemas(ofGroup.map(({ schema }) => schema))
  for (const one of ofGroup) {
    // Exactly one kind: explain finds the schema of a kind by this list.
    schemas[one.schema.name] = { ...schemas[one.schema.name], [GVK]: [kindOf(one)] }
  }
  const text = JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Leasehold', version: version.gitVersion },
    paths: Object.fromEntries(ofGroup.flatMap(paths)),
    components: { schemas },
  })
  return { text, hash: fingerprint(text) }
}

const GVK = 'x-kubernetes-group-version-kind'
const kindOf = ({ group, version, kind }: Described) => ({ group, version, kind })

const COLLECTION: Partial<Record<Verb, string>> = { list: 'get', create: 'post' }
const ITEM: Partial<Record<Verb, string>> = {
  get: 'get',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
}

function paths(one: Described): readonly (readonly [string, Json])[] {
  const space = one.namespaced ? '/namespaces/{namespace}' : ''
  const collection = `/${root(one.group)}${space}/${one.plural}`
  return [
    [collection, operations(one, COLLECTION)] as const,
    [`${collection}/{name}`, operations(one, ITEM)] as const,
  ].filter(([, methods]) => Object.keys(methods).length > 0)
}

function operations(one: Described, methods: Partial<Record<Verb, string>>): Json {
  const entries = one.verbs.flatMap((verb) => {
    const method = methods[verb]
    return method ? [[method, operation(one, verb)] as const] : []
  })
  return Object.fromEntries(entries)
}

function operation(one: Described, verb: Verb): Json {
  const content = { 'application/json': { schema: schemaReference(one) } }
  return {
    'x-kubernetes-action': verb === 'create' ? 'post' : verb === 'update' ? 'put' : verb,
    [GVK]: kindOf(one),
    parameters: PARAMETERS[verb] ?? [],
    responses: { 200: { description: 'OK', ...(verb !== 'list' && { content }) } },
  }
}

const schemaReference = ({ schema }: Described) => ({ $ref: `#/components/schemas/${schema.name}` })

const query = (name: string, type: 'string' | 'boolean', description: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type },
})

const WRITE = [
  query('dryRun', 'string', 'All: run every check and store nothing.'),
  query('fieldManager', 'string', 'Who writes.'),
  query('fieldValidation', 'string', 'What becomes of unknown fields: Strict, Warn or Ignore.'),
]
const FORCE = query('force', 'boolean', 'Server-side apply: take the fields that others manage.')

const PARAMETERS: Partial<Record<Verb, readonly Json[]>> = {
  create: WRITE,
  update: WRITE,
  patch: [...WRITE, FORCE],
  delete: WRITE.slice(0, 1),
}
