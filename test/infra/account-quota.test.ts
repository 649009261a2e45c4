/** Against a server on loopback that answers as Service Quotas does, or does not. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAccountQuota } from '../../infra/account-quota.ts'

let server: Server
let answer: { readonly status: number; readonly body: object }
let asked: unknown
let env: Record<string, string>

beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked = [request.headers['x-amz-target'], await json(request)]
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(answer.body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  env = {
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_SERVICEQUOTAS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('is what Service Quotas says about concurrent runs of Lambda', async () => {
  answer = { status: 200, body: { Quota: { Value: 400 } } }
  expect(await readAccountQuota(env, 'eu-central-1')).toEqual({ concurrentRuns: 400 })
  const input = { ServiceCode: 'lambda', QuotaCode: 'L-B99A9384' }
  expect(asked).toEqual(['ServiceQuotasV20190624.GetServiceQuota', input])
})

it.each([
  {
    when: 'it may not be read',
    status: 400,
    body: { __type: 'AccessDeniedException', message: 'not authorized' },
    because: /not authorized|AccessDenied/,
  },
  { when: 'the answer names none', status: 200, body: {}, because: /named no value/ },
])(
  'is taken to be that of a new account when $when, and says so',
  async ({ because, ...given }) => {
    answer = given
    const { concurrentRuns, assumedBecause } = await readAccountQuota(env, 'eu-central-1')
    expect(concurrentRuns).toBe(10)
    expect(assumedBecause).toMatch(because)
  },
)
