/** What a client gets of what a function writes, over real connections. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { afterEach, expect, it } from 'vitest'
import type { Answer } from '../../../../local/emulators/lambda/environment.ts'
import { functionUrl } from '../../../../local/emulators/lambda/function-url.ts'
import { Throttled } from '../../../../local/emulators/lambda/host.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A function that writes as the runtime client does: one chunked POST. */
async function functionThat(write: (stream: ReturnType<typeof request>) => void) {
  const seen: LambdaFunctionURLEvent[] = []
  const invoke = async (event: LambdaFunctionURLEvent): Promise<Answer> => {
    seen.push(event)
    const arrived = Promise.withResolvers<IncomingMessage>()
    const port = await listening(createServer((posted) => arrived.resolve(posted)))
    const post = request({ port, method: 'POST', headers: { trailer: ERROR_TYPE } })
    post.on('error', () => {})
    write(post)
    return { isHttp: true, body: await arrived.promise }
  }
  const port = await listening(createServer(functionUrl(invoke)))
  return { url: `http://127.0.0.1:${port}`, seen }
}

const ERROR_TYPE = 'Lambda-Runtime-Function-Error-Type'
const head = (statusCode: number) =>
  Buffer.concat([
    Buffer.from(JSON.stringify({ statusCode, headers: { 'content-type': 'text/plain' } })),
    Buffer.alloc(8),
  ])

it('shows each part as it is written', async () => {
  let write: ReturnType<typeof request> | undefined
  const { url } = await functionThat((stream) => {
    write = stream
    stream.write(head(201))
  })
  const response = await fetch(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([201, 'text/plain'])
  const parts = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  write?.write('first')
  expect((await parts.read()).value).toBe('first')
  write?.end('second')
  expect((await parts.read()).value).toBe('second')
  expect((await parts.read()).done).toBe(true)
})

it('breaks off where the function fails half-way', async () => {
  const { url } = await functionThat((stream) => {
    stream.write(head(200))
    stream.write('half')
    stream.addTrailers({ [ERROR_TYPE]: 'Error' })
    stream.end()
  })
  const response = await fetch(url)
  await expect(response.text()).rejects.toThrow()
})

it('hands over what was asked', async () => {
  const { url, seen } = await functionThat((stream) => stream.end(head(200)))
  const merge = { 'content-type': 'application/merge-patch+json' }
  const sent = { method: 'PATCH', headers: merge, body: '{}' }
  await (await fetch(`${url}/api/v1/nodes?limit=5&watch=1`, sent)).text()
  expect(seen[0]).toMatchObject({
    rawPath: '/api/v1/nodes',
    rawQueryString: 'limit=5&watch=1',
    body: Buffer.from('{}').toString('base64'),
    isBase64Encoded: true,
    requestContext: { http: { method: 'PATCH', path: '/api/v1/nodes' } },
  })
})

it.each([
  { when: 'too many run', error: new Throttled('Rate exceeded'), status: 429 },
  { when: 'it fails', error: new Error('broken'), status: 502 },
])('answers $status when $when', async ({ error, status }) => {
  const port = await listening(createServer(functionUrl(() => Promise.reject(error))))
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(status)
})

it('takes no more than Lambda does', async () => {
  const { url, seen } = await functionThat((stream) => stream.end(head(200)))
  const body = 'x'.repeat(6 * 1024 * 1024 + 1)
  expect((await fetch(url, { method: 'PUT', body })).status).toBe(413)
  expect(seen).toEqual([])
})
