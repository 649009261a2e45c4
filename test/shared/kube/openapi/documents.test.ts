import { describe, expect, it } from 'vitest'
import { openApiDocuments, openApiIndex } from '../../../../shared/kube/openapi/documents.ts'
import { resources } from '../../../../shared/kube/registry.ts'

// biome-ignore lint/suspicious/noExplicitAny: a parsed document, read here and there
const parsed = (path: string): any => JSON.parse(openApiDocuments().get(path)?.text ?? '{}')
const PATHS = [...openApiDocuments().keys()]

describe('the OpenAPI index', () => {
  it('points every group at a document whose address follows its content', () => {
    expect(openApiIndex()).toEqual({
      paths: Object.fromEntries(
        [...openApiDocuments()].map(([path, { hash }]) => [
          path,
          { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
        ]),
      ),
    })
    expect(PATHS).toContain('api/v1')
    expect(PATHS).toContain('apis/coordination.k8s.io/v1')
    expect(new Set([...openApiDocuments().values()].map(({ hash }) => hash)).size).toBe(
      PATHS.length,
    )
  })

  it('is built once', () => {
    expect(openApiDocuments()).toBe(openApiDocuments())
  })
})

describe.each(PATHS)('the document %s', (path) => {
  it('has every schema it refers to', () => {
    const { components } = parsed(path)
    const text = openApiDocuments().get(path)!.text
    const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    )
    for (const name of references) expect(Object.keys(components.schemas)).toContain(name)
  })

  it('names one kind per path and per schema of a kind', () => {
    const { paths, components } = parsed(path)
    const kinds = Object.values<Record<string, unknown>>(components.schemas).flatMap(
      (schema) => (schema['x-kubernetes-group-version-kind'] as unknown[]) ?? [],
    )
    const operations = Object.values<Record<string, Record<string, unknown>>>(paths).flatMap(
      (methods) => Object.values(methods),
    )
    expect(operations.length).toBeGreaterThan(0)
    for (const operation of operations) {
      expect(kinds).toContainEqual(operation['x-kubernetes-group-version-kind'])
    }
  })
})

describe('what kubectl looks for', () => {
  const writable = resources.filter(({ verbs }) => verbs.includes('patch'))
  it.each(writable)(
    '$plural can be patched with fieldValidation',
    ({ group, plural, namespaced }) => {
      const base = group ? `/apis/${group}/v1` : '/api/v1'
      const item = `${base}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`
      const { patch } = parsed(base.slice(1)).paths[item]
      expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual([
        ...['dryRun', 'fieldManager', 'fieldValidation', 'force'],
      ])
    },
  )

  it('lets a switch be patched and nothing else of ours be written', () => {
    const methods = Object.values<object>(parsed('apis/leasehold.dev/v1').paths).flatMap(
      Object.keys,
    )
    expect(new Set(methods)).toEqual(new Set(['get', 'patch']))
  })

  it('explains lease.spec and node.status field by field', () => {
    const lease = parsed('apis/coordination.k8s.io/v1').components.schemas
    const spec = lease['io.k8s.api.coordination.v1.LeaseSpec'].properties
    expect(spec.renewTime).toMatchObject({ type: 'string', format: 'date-time' })
    expect(spec.leaseDurationSeconds).toMatchObject({ type: 'integer', format: 'int32' })
    const status = parsed('api/v1').components.schemas['io.k8s.api.core.v1.NodeStatus'].properties
    expect(status.conditions).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'type',
      'x-kubernetes-patch-strategy': 'merge',
    })
    expect(status.capacity).toMatchObject({ additionalProperties: { type: 'string' } })
    for (const one of Object.values<{ description?: string; allOf?: unknown }>(status)) {
      expect(one.description ?? one.allOf).toBeTruthy()
    }
  })
})
