import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bufferedHandler } from '../../../../functions/api/lambda/http-event.ts'
import { LEASES, lease, NODES, node, world } from '../world.ts'
import { httpApiEvent, type Sent } from './events.ts'

const json = { 'content-type': 'application/json' }

function gateway() {
  const handle = bufferedHandler(world().entry)
  return async (sent: Sent) => await handle(httpApiEvent(sent))
}

describe('behind an HTTP API', () => {
  it('a node registers, beats and is listed', async () => {
    const send = gateway()
    const post = (path: string, body: object) =>
      send({ method: 'POST', path, headers: json, body: JSON.stringify(body) })
    expect((await post(NODES, node('a'))).statusCode).toBe(201)
    expect((await post(LEASES, lease('a', { holderIdentity: 'a' }))).statusCode).toBe(201)
    const beat = await send({
      method: 'PATCH',
      path: `${LEASES}/a`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: Buffer.from('{"spec":{"renewTime":"2026-01-02T03:04:15Z"}}').toString('base64'),
      base64: true,
    })
    expect(beat.statusCode).toBe(200)
    expect(beat.headers?.['leasehold-inbox']).toBe('0')
    const listed = await send({ path: NODES, query: 'limit=500' })
    expect(JSON.parse(listed.body!).items).toHaveLength(1)
  })

  it('refusals are Status objects with their code', async () => {
    const { statusCode, body } = await gateway()({ path: `${NODES}/a%2Fb` })
    expect([statusCode, JSON.parse(body!).kind]).toEqual([400, 'Status'])
  })

  it('compressed bodies travel in base64', async () => {
    const send = gateway()
    const body = JSON.stringify({
      metadata: { name: 'a', annotations: { a: 'x'.repeat(200_000) } },
    })
    await send({ method: 'POST', path: NODES, headers: json, body })
    const reply = await send({ path: NODES, headers: { 'accept-encoding': 'gzip' } })
    expect(reply.isBase64Encoded).toBe(true)
    const text = gunzipSync(Buffer.from(reply.body!, 'base64')).toString()
    expect(JSON.parse(text).items).toHaveLength(1)
  })

  it('answers when what the answer left to be done is done', async () => {
    let isDone = false
    const pendingWrites = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      isDone = true
    }
    await bufferedHandler({ fetch: () => new Response('{}'), pendingWrites })(
      httpApiEvent({ path: NODES }),
    )
    expect(isDone).toBe(true)
  })

  it('a body that breaks off fails the call', async () => {
    const broken = new ReadableStream({
      start: (stream) => {
        stream.enqueue(new TextEncoder().encode('{"items":['))
        stream.error(new Error('cut'))
      },
    })
    const handle = bufferedHandler({ fetch: () => new Response(broken) })
    await expect(handle(httpApiEvent({ path: NODES }))).rejects.toThrow('cut')
  })
})
