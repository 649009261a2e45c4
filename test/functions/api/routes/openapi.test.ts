import { describe, expect, it } from 'vitest'
import { world } from '../world.ts'

describe('OpenAPI', () => {
  it('v2 is empty, under a type that Go can read', async () => {
    const { status, text, headers } = await world().call('GET', '/openapi/v2')
    expect([status, text]).toEqual([200, ''])
    expect(headers.get('content-type')).not.toContain('@')
  })

  it('v3 is kept by clients for a year under the address of its index', async () => {
    const place = world()
    const { body } = await place.call('GET', '/openapi/v3')
    const address = body.paths['apis/coordination.k8s.io/v1'].serverRelativeURL
    const document = await place.call('GET', address)
    expect(document.body.openapi).toBe('3.0.0')
    expect(document.headers.get('cache-control')).toBe('public, immutable')
    expect(document.headers.get('expires')).toBe('Sat, 02 Jan 2027 03:04:05 GMT')
    const etag = document.headers.get('etag')!
    const again = await place.call('GET', address, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect((await place.call('GET', '/openapi/v3/api/v9')).status).toBe(404)
  })
})
