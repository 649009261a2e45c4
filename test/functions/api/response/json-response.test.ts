import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { jsonHeaders } from '../../../../functions/api/response/json-response.ts'
import { init, NODES, world } from '../world.ts'

async function fleet(size: number, annotationLength: number) {
  const place = world()
  for (let at = 0; at < size; at++) {
    const metadata = { name: `n${at}`, annotations: { a: 'x'.repeat(annotationLength) } }
    await place.call('POST', NODES, { body: { metadata } })
  }
  return place
}

it.each([
  { when: 'short', size: 1, encoding: null },
  { when: 'long', size: 20, encoding: 'gzip' },
  { when: 'streamed', size: 501, encoding: 'gzip' },
])('compresses what is $when: $encoding', async ({ size, encoding }) => {
  const place = await fleet(size, size === 20 ? 10_000 : 300)
  const headers = { 'accept-encoding': 'gzip' }
  const response = await place.app.request(NODES, init('GET', { headers }))
  expect(response.headers.get('content-encoding')).toBe(encoding)
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = encoding ? gunzipSync(bytes).toString() : bytes.toString()
  expect(JSON.parse(text).items).toHaveLength(size)
})

it('leaves alone those who do not accept gzip', async () => {
  const place = await fleet(20, 10_000)
  for (const accepted of ['', 'br', 'gzip;q=0', 'notgzip']) {
    const headers = { 'accept-encoding': accepted }
    const response = await place.app.request(NODES, init('GET', { headers }))
    expect(response.headers.get('content-encoding'), accepted).toBeNull()
  }
})

it('writes warnings on one line, quoted', () => {
  expect(jsonHeaders(['say "hi"\r\nX: ü']).get('warning')).toBe('299 - "say \\"hi\\"??X: ?"')
})
