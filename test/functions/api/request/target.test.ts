import { describe, expect, it } from 'vitest'
import { parseTarget } from '../../../../functions/api/request/target.ts'
import { resources } from '../../../../shared/kube/registry.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'

const core = '/api/v1'
const coordination = '/apis/coordination.k8s.io/v1'

async function read(method: string, path: string, watch = false): Promise<string> {
  try {
    const target = await parseTarget(method, path, watch)
    if (!target) return 'page not found'
    const { verb, resource, subresource, key } = target
    const sub = subresource ? `/${subresource.name}` : ''
    return `${verb} ${resource.plural}${sub} [${key.namespace}] ${key.name}`.trim()
  } catch (error) {
    if (error instanceof StatusError) return String(error.code)
    throw error
  }
}

describe('a URL', () => {
  it.each([
    { path: `GET ${core}/nodes`, reads: 'list nodes []' },
    { path: `GET ${core}/nodes/`, reads: 'list nodes []' },
    { path: `GET ${core}/nodes/a`, reads: 'get nodes [] a' },
    { path: `GET ${core}/nodes/a/status`, reads: 'get nodes/status [] a' },
    { path: `PUT ${core}/nodes/a.b-c`, reads: 'update nodes [] a.b-c' },
    { path: `PATCH ${core}/nodes/a/status`, reads: 'patch nodes/status [] a' },
    { path: `DELETE ${core}/nodes/a`, reads: 'delete nodes [] a' },
    { path: `POST ${core}/nodes`, reads: 'create nodes []' },
    { path: `GET ${core}/pods`, reads: 'list pods []' },
    { path: `GET ${core}/namespaces/x/pods`, reads: 'list pods [x]' },
    { path: `POST ${core}/namespaces/x/pods/y/eviction`, reads: 'create pods/eviction [x] y' },
    { path: `GET ${core}/namespaces`, reads: 'list namespaces []' },
    { path: `GET ${core}/namespaces/x`, reads: 'get namespaces [] x' },
    { path: `GET ${coordination}/leases`, reads: 'list leases []' },
    { path: `PUT ${coordination}/namespaces/x/leases/y`, reads: 'update leases [x] y' },
    { path: `GET ${core}/nodes/%61`, reads: 'get nodes [] a' },

    { path: `DELETE ${core}/nodes`, reads: 'deletecollection nodes []' },
    { path: `DELETE ${core}/namespaces/x/pods`, reads: 'deletecollection pods [x]' },

    { path: `POST ${core}/pods`, reads: '405' },
    { path: `DELETE ${core}/pods`, reads: '405' },
    { path: `DELETE ${core}/namespaces`, reads: '405' },
    { path: `PUT ${core}/nodes`, reads: '405' },
    { path: `TRACE ${core}/nodes/a`, reads: '405' },
    { path: `GET ${core}/namespaces/x/pods/y/eviction`, reads: '405' },
    { path: `PUT ${core}/namespaces/x/pods/y/binding`, reads: '405' },

    { path: `GET ${core}/secrets`, reads: '404' },
    { path: `GET ${core}/pods/y`, reads: '404' },
    { path: `GET ${core}/namespaces/x/nodes`, reads: '404' },
    { path: `GET ${core}/namespaces/x/pods/y/log`, reads: '404' },
    { path: `GET ${core}/namespaces/x/pods/y/status/z`, reads: '404' },
    { path: 'GET /api/v2/nodes', reads: '404' },
    { path: 'GET /apis/coordination.k8s.io/v1beta1/leases', reads: '404' },
    { path: 'GET /apis/unknown.group/v1/things', reads: 'page not found' },
    { path: 'GET /apis/__proto__/v1/constructor', reads: 'page not found' },
    { path: `GET ${core}/constructor`, reads: '404' },
    { path: `GET ${core}/nodes/a/__proto__`, reads: '404' },

    { path: `GET ${core}/nodes/a%2Fb`, reads: '400' },
    { path: `GET ${core}/nodes/a%00`, reads: '400' },
    { path: `GET ${core}/nodes/%2e%2e`, reads: '400' },
    { path: `GET ${core}/nodes/..`, reads: '400' },
    { path: `GET ${core}/nodes/.`, reads: '400' },
    { path: `GET ${core}/nodes/a%5Cb`, reads: '400' },
    { path: `GET ${core}/nodes/%`, reads: '400' },
    { path: `GET ${core}/nodes/%ff`, reads: '400' },
    { path: `GET ${core}/nodes/a%25b`, reads: '400' },
    { path: `GET ${core}//nodes`, reads: '400' },
    { path: `GET ${core}/nodes/${'a'.repeat(254)}`, reads: '400' },
    { path: `GET ${core}/nodes/${'a'.repeat(253)}`, reads: `get nodes [] ${'a'.repeat(253)}` },
  ])('$path is $reads', async ({ path, reads }) => {
    const [method = '', url = ''] = path.split(' ')
    expect(await read(method, url)).toBe(reads)
  })

  it('with watch asks to be told of changes, but only of a collection', async () => {
    expect(await read('GET', `${core}/nodes`, true)).toBe('watch nodes []')
    expect(await read('GET', `${core}/nodes/a`, true)).toBe('405')
    expect(await read('POST', `${core}/nodes`, true)).toBe('create nodes []')
  })

  it('of a lease is read without the other resources, which have no place in its group', () => {
    const group = 'coordination.k8s.io'
    const inGroup = resources.filter((resource) => resource.group === group)
    expect(inGroup.map(({ plural }) => plural)).toEqual(['leases'])
  })
})
