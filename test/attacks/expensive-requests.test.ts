/** Findings 8 and 15: no request costs, or is answered with, much more than it sent. */
import { describe, expect, it } from 'vitest'
import { NODES, node } from '../functions/api/world.ts'
import { HOST, startService } from './service.ts'

const MB = 1024 * 1024
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`!${at}`, '!']))

describe('a hostile body', () => {
  it.each([
    { what: 'a quarter of a million bad labels', metadata: { name: 'a', labels: many(250_000) } },
    { what: 'thousands of bad labels', metadata: { name: 'a', labels: many(20_000) } },
    { what: 'thousands of bad annotations', metadata: { name: 'a', annotations: many(20_000) } },
    {
      what: 'one label of megabytes',
      metadata: { name: 'a', labels: { '!': '!'.repeat(2 * MB) } },
    },
    { what: 'a name of megabytes', metadata: { name: '!'.repeat(2 * MB) } },
    {
      what: 'thousands of bad finalizers',
      metadata: { name: 'a', finalizers: Object.keys(many(20_000)) },
    },
  ])('with $what gets a short answer soon', async ({ metadata }) => {
    const service = await startService()
    const startedCpu = process.cpuUsage()
    const answer = await service.call('POST', NODES, { body: { ...node('a'), metadata } })
    expect([413, 422]).toContain(answer.status)
    expect(answer.text.length).toBeLessThan(MB / 4)
    // Of the processor, which a busy machine does not lengthen: it was 9.5 s.
    expect(process.cpuUsage(startedCpu).user / 1_000).toBeLessThan(2_000)
    expect((await service.call('GET', `${NODES}/a`)).status).toBe(404)
  })

  it('in YAML is refused by its length, before it is read', async () => {
    const service = await startService()
    const raw = `metadata: {name: a}\n# ${'x'.repeat(40_000)}`
    const answer = await service.call('POST', NODES, { raw, type: 'application/yaml' })
    expect(answer.status).toBe(413)
  })
})

it('the token route reads no more of a body than it takes', async () => {
  const service = await startService()
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent += 64 * 1024
      if (sent > 16 * MB) controller.close()
      else controller.enqueue(new Uint8Array(64 * 1024).fill(32))
    },
  })
  const headers = { authorization: `Bearer ${await service.bootstrap()}` }
  const url = `${HOST}/apis/leasehold.dev/v1/nodes/a/token`
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  const answer = await service.entry.fetch(new Request(url, init))
  expect(answer.status).toBe(413)
  expect(sent).toBeLessThan(MB)
})

it('/readyz reads the table once a second, however many ask', async () => {
  let reads = 0
  const service = await startService({
    wrap: (store) => ({
      ...store,
      records: {
        ...store.records,
        get: (name) => {
          reads++
          return store.records.get(name)
        },
      },
    }),
  })
  for (let at = 0; at < 100; at++) {
    expect((await service.call('GET', '/readyz', { as: null })).status).toBe(200)
  }
  expect(reads).toBe(1)
  service.advance(1_000)
  await service.call('GET', '/readyz', { as: null })
  expect(reads).toBe(2)
})

it.each(['user', 'group', 'uid'])('impersonating a %s is refused, not ignored', async (what) => {
  const service = await startService()
  const headers = { [`impersonate-${what}`]: 'x' }
  expect((await service.call('GET', NODES, { headers })).status).toBe(403)
  const path = '/apis/leasehold.dev/v1/bootstraptokens'
  expect((await service.call('POST', path, { headers, body: {} })).status).toBe(403)
})
