import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { outcomeOf } from '../../agent/client.ts'
import { httpTransport } from '../../agent/http.ts'

let stop = () => {}
afterEach(() => stop())

async function ask(code: number, headers: Record<string, string>, body: string) {
  const server = createServer((_, response) => response.writeHead(code, headers).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return httpTransport({ server: url }).exchange({ method: 'PUT', path: '/x', body: {} }, 'token')
}

describe('a beat', () => {
  it('does not queue behind what else the host has to say', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/beat') response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stop = () => {
      server.closeAllConnections()
      server.close()
    }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { exchange } = httpTransport({ server: url, timeoutMs: 5_000 })
    const slow = ['/a', '/b', '/c'].map((path) => exchange({ method: 'GET', path }, undefined))
    const beat = await exchange({ method: 'PUT', path: '/beat', body: {}, isBeat: true }, undefined)
    expect(beat.code).toBe(200)
    server.closeAllConnections()
    await slow[0]
  })
})

describe('an answer', () => {
  it.each([
    { says: '7', waitMs: 7_000 },
    { says: '86400', waitMs: 60_000 },
    { says: 'Infinity', waitMs: 60_000 },
    { says: 'Wed, 21 Oct 2026 07:28:00 GMT', waitMs: undefined },
    { says: '-1', waitMs: undefined },
  ])('that asks to come back after $says is heeded within reason', async ({ says, waitMs }) => {
    expect((await ask(429, { 'retry-after': says }, '')).retryAfterMs).toBe(waitMs)
  })

  it.each([
    { when: 'an object', body: '{"kind":"Lease"}', outcome: 'ok' },
    { when: 'a page of a portal', body: '<html>please sign in</html>', outcome: 'error' },
    { when: 'nothing', body: '', outcome: 'error' },
  ])('with 200 and $when is $outcome', async ({ body, outcome }) => {
    expect(outcomeOf(await ask(200, {}, body))).toBe(outcome)
  })
})
