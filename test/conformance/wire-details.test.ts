/**
 * What no library shows and every library rests on: headers, flushing, clean ends, odd requests.
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'

let system: InProcessSystem
beforeAll(async () => {
  system = await startInProcess()
})
afterAll(() => system?.stop())

const call: InProcessSystem['http']['call'] = (...args) => system.http.call(...args)
const NODES = '/api/v1/nodes'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

describe('a watch', () => {
  const list = async () => (await call('GET', NODES)).body.metadata.resourceVersion

  it('sends its headers before there is anything to say, and is not compressed', async () => {
    const done = new AbortController()
    const headers = { 'accept-encoding': 'gzip' }
    const path = `${NODES}?watch=true&resourceVersion=${await list()}&labelSelector=never`
    const response = await system.http.open(path, { headers, signal: done.signal })
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(response.headers).not.toHaveProperty('content-encoding')
    response.on('error', () => {})
    done.abort()
  })

  it.each(['true', 'True', '1', ''])(
    'is what watch=%s asks for, and ends in time',
    async (flag) => {
      const query = `watch=${flag}&timeoutSeconds=1&resourceVersion=${await list()}&labelSelector=never`
      const response = await system.http.open(`${NODES}?${query}`)
      expect(await endOf(response)).toEqual({ said: '', isWhole: true })
    },
  )

  it.each([
    { when: 'too old', version: '1' },
    { when: 'from the future', version: '9999999999999999' },
  ])('from a version $when is one ERROR frame and a clean end', async ({ version }) => {
    const response = await system.http.open(`${NODES}?watch=true&resourceVersion=${version}`)
    expect(response.statusCode).toBe(200)
    const { said, isWhole } = await endOf(response)
    const frames = said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(frames).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410 } }])
    expect(isWhole).toBe(true)
  })

  it.each([
    { when: 'initial events without a match', query: 'watch=true&sendInitialEvents=true' },
    { when: 'initial events of a list', query: 'sendInitialEvents=true' },
    { when: 'a match without a version', query: 'resourceVersionMatch=NotOlderThan' },
  ])('is refused for $when, so that informers fall back', async ({ query }) => {
    expect(await call('GET', `${NODES}?${query}`)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid' },
    })
  })
})

describe('bodies and types', () => {
  it.each([
    { when: 'no body but a type', sent: { headers: { 'content-type': 'application/json' } } },
    { when: 'options without a kind', sent: { body: { propagationPolicy: 'Background' } } },
    { when: 'options with one', sent: { body: { kind: 'DeleteOptions', apiVersion: 'v1' } } },
  ])('DELETE takes $when', async ({ sent }) => {
    await call('POST', NODES, { body: { metadata: { name: 'away' } } })
    expect((await call('DELETE', `${NODES}/away`, sent)).status).toBe(200)
  })

  it.each([
    { when: 'python', renewTime: '2026-01-02T03:04:05.600000+00:00' },
    { when: 'JavaScript', renewTime: '2026-01-02T03:04:05.600Z' },
  ])('times as $when writes them come back with six digits', async ({ when, renewTime }) => {
    const body = { metadata: { name: when.toLowerCase() }, spec: { renewTime } }
    const created = await call('POST', LEASES, { body })
    expect(created.body.spec.renewTime).toBe('2026-01-02T03:04:05.600000Z')
  })

  it('YAML is read', async () => {
    const body = 'apiVersion: v1\nkind: Node\nmetadata: {name: yaml, labels: {on: "yes"}}\n'
    const created = await call('POST', NODES, { body, type: 'application/yaml' })
    expect(created).toMatchObject({ status: 201, body: { metadata: { labels: { on: 'yes' } } } })
  })

  it.each([
    { when: 'a type nobody speaks', sent: { body: 'a', type: 'text/plain' }, status: 415 },
    { when: 'no JSON', sent: { body: '{' }, status: 400 },
    { when: 'another kind', sent: { body: { kind: 'Pod', apiVersion: 'v1' } }, status: 400 },
    {
      when: 'an answer in HTML',
      sent: { headers: { accept: 'text/html' }, body: {} },
      status: 406,
    },
    { when: 'too much', sent: { body: ' '.repeat(3 * 1024 * 1024 + 1) }, status: 413 },
  ])('$when is $status in a Status', async ({ sent, status }) => {
    const answer = await call('POST', NODES, sent)
    expect(answer).toMatchObject({ status, body: { kind: 'Status', code: status } })
  })

  it('a long list is compressed for whoever asks', async () => {
    const annotations = { long: 'x'.repeat(200_000) }
    await call('POST', NODES, { body: { metadata: { name: 'long', annotations } } })
    const response = await system.http.open(NODES, { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers['content-encoding']).toBe('gzip')
    const { items } = JSON.parse(String(gunzipSync(await buffer(response))))
    expect(items.map((node: { metadata: { name: string } }) => node.metadata.name)).toContain(
      'long',
    )
  })
})

describe('paths beside the resources', () => {
  const discovery = (version: string) =>
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

  it.each([
    {
      when: '1.30 and newer',
      accept: `${discovery('v2')},${discovery('v2beta1')},application/json`,
      type: discovery('v2'),
    },
    {
      when: '1.27 to 1.29',
      accept: `${discovery('v2beta1')},application/json`,
      type: discovery('v2beta1'),
    },
    { when: 'older', accept: 'application/json, */*', type: 'application/json' },
  ])('discovery says in its type what kubectl $when gets', async ({ accept, type }) => {
    for (const path of ['/api', '/apis']) {
      const { status, headers } = await call('GET', path, { headers: { accept } })
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
    }
  })

  it('OpenAPI is empty in v2 and kept for a year in v3', async () => {
    const v2 = await call('GET', '/openapi/v2')
    expect(v2).toMatchObject({ status: 200, text: '' })
    expect(v2.headers['content-type']).not.toContain('@')
    const { body } = await call('GET', '/openapi/v3')
    for (const { serverRelativeURL } of Object.values<{ serverRelativeURL: string }>(body.paths)) {
      const document = await call('GET', serverRelativeURL)
      expect(document.body.openapi).toBe('3.0.0')
      expect(Date.parse(String(document.headers.expires))).toBeGreaterThan(Date.now())
    }
  })

  it.each([
    { path: '/apis/nobody.example.com/v1/things', type: 'text/plain' },
    { path: '/nothing', type: 'text/plain' },
    { path: '/api/v1/things', type: 'application/json' },
    { path: '/api/v2/nodes', type: 'application/json' },
  ])('$path is not found, in $type', async ({ path, type }) => {
    const { status, headers } = await call('GET', path)
    expect(status).toBe(404)
    expect(headers['content-type']).toContain(type)
  })

  it('tells a stranger nothing but that it lives', async () => {
    const headers = { authorization: '' }
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      expect((await call('GET', path, { headers })).status, path).toBe(200)
    }
    for (const path of ['/api', NODES, '/metrics', '/openapi/v3', '/nothing']) {
      expect((await call('GET', path, { headers })).status, path).toBe(401)
    }
  })
})

/** Whether the answer ended as HTTP says it should, and not with its connection. */
async function endOf(response: IncomingMessage) {
  const said = await text(response)
  if (!response.closed) await once(response, 'close')
  return { said, isWhole: response.complete }
}
