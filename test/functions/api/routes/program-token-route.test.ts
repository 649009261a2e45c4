import { beforeEach, expect, it } from 'vitest'
import { programTokenRoute } from '../../../../functions/api/routes/program-token-route.ts'
import { createAuthorizer } from '../../../../shared/auth/access/authorizer.ts'
import { createGrant } from '../../../../shared/auth/programs/grants.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { bearer, type Install, newInstall, tokenFor } from '../../../shared/auth/install.ts'

const DAY_MS = 86_400_000
let install: Install
let token: string
let drawn = 0
const randomInt = (below: number) => ++drawn % below
beforeEach(async () => {
  install = await newInstall()
  const nowMs = install.clock.nowMs
  const lasts = { endsAtMs: nowMs + 90 * DAY_MS, tokenLifetimeMs: DAY_MS }
  const request = { name: 'ksm', groups: ['leasehold:viewers'], ...lasts }
  const issued = await createGrant(install.store, request, { nowMs, randomInt })
  if (issued === 'taken') throw new Error('the name is taken')
  token = issued.token
})

interface TokenRequest {
  readonly status: { readonly token: string }
}

async function send(as: string, { name = 'ksm', method = 'POST' } = {}) {
  const { store, clock, authenticator } = install
  const authorizer = createAuthorizer()
  const deps = { store, authenticator, authorizer, clock: () => clock.nowMs, randomInt }
  const url = `https://x/apis/leasehold.dev/v1/programs/${name}/token`
  const headers = { authorization: bearer(as) }
  try {
    const response = await programTokenRoute(deps).handle(new Request(url, { method, headers }))
    return {
      code: response.status,
      headers: response.headers,
      body: (await response.json()) as TokenRequest,
    }
  } catch (error) {
    if (error instanceof StatusError) return { code: error.code }
    throw error
  }
}

it('gives the successor of a token, which no cache keeps', async () => {
  const { code, body, headers } = await send(token)
  expect(code).toBe(201)
  expect(headers?.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({
    kind: 'TokenRequest',
    spec: { expirationSeconds: 86_400 },
    status: { expirationTimestamp: '2026-01-02T00:00:00Z' },
  })
  expect((await send(body!.status.token)).code).toBe(201)
})

it.each([
  { when: 'the name is of another program', to: { name: 'other' }, code: 403 },
  { when: 'the name is none', to: { name: 'A%2Fb' }, code: 400 },
  { when: 'the method is another', to: { method: 'GET' }, code: 405 },
])('is refused when $when', async ({ to, code }) => {
  expect((await send(token, to)).code).toBe(code)
})

it('is refused to people, even to those of the same groups', async () => {
  const user = { user: 'vera', groups: ['leasehold:viewers'] }
  expect((await send(await tokenFor(install, 'admin', user))).code).toBe(403)
})
