import { describe, expect, it } from 'vitest'
import { requestOf } from '../../../../functions/api/lambda/http-event.ts'
import { functionUrlEvent, httpApiEvent } from './events.ts'

describe.each([
  { ingress: 'a Function URL', event: functionUrlEvent },
  { ingress: 'an HTTP API', event: httpApiEvent },
])('an event of $ingress', ({ event }) => {
  it('keeps the path as it was sent', () => {
    const { url } = requestOf(event({ path: '/api/v1/nodes/a%2Fb%00' }))
    expect(new URL(url).pathname).toBe('/api/v1/nodes/a%2Fb%00')
  })

  it('never takes a path for a host', () => {
    const { url } = requestOf(event({ path: '//evil.example/api/v1/nodes' }))
    expect(new URL(url).host).toBe('leasehold')
  })

  it('keeps every value of a query', () => {
    const query = 'dryRun=All&dryRun=Some&labelSelector=a%3Db%2Cc'
    const { searchParams } = new URL(requestOf(event({ path: '/x', query })).url)
    expect(searchParams.getAll('dryRun')).toEqual(['All', 'Some'])
    expect(searchParams.get('labelSelector')).toBe('a=b,c')
  })

  it('carries headers but no cookies', () => {
    const { headers } = requestOf(event({ path: '/', headers: { accept: 'x/y', cookie: 'a=b' } }))
    expect(headers.get('accept')).toBe('x/y')
    expect(headers.get('cookie')).toBeNull()
  })

  it('decodes a body that came in base64', async () => {
    const bytes = Buffer.from([0x6b, 0x38, 0x73, 0x00, 0xff])
    const body = bytes.toString('base64')
    const request = requestOf(event({ method: 'POST', path: '/', body, base64: true }))
    expect(Buffer.from(await request.arrayBuffer())).toEqual(bytes)
  })

  it('drops the body of a GET, which nothing here reads', async () => {
    expect(requestOf(event({ path: '/', body: 'x' })).body).toBeNull()
  })
})
