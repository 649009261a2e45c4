import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { tokenRoute } from '../../../../functions/api/routes/token-routes.ts'
import { createAuthorizer } from '../../../../shared/auth/access/authorizer.ts'
import { createBootstrapToken } from '../../../../shared/auth/join/bootstrap-tokens.ts'
import { createRateLimiter } from '../../../../shared/auth/rate-limit.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'
import {
  bearer,
  type Install,
  issued,
  newInstall,
  startMs,
  tokenFor,
} from '../../../shared/auth/install.ts'

let install: Install
let route: ReturnType<typeof tokenRoute>
let bootstrap: string

beforeEach(async () => {
  install = await newInstall()
  const { store, newId, authenticator, clock, signers } = install
  route = tokenRoute({
    authenticator,
    authorizer: createAuthorizer(),
    limiter: createRateLimiter(defaultSettings),
    issuer: { ...issued, store, newId, signer: async () => signers.node },
    clock: () => clock.nowMs,
  })
  bootstrap = await createBootstrapToken(
    store,
    { groups: [] },
    { nowMs: startMs, randomInt: () => 1 },
  )
})

interface Sent {
  readonly token?: string
  readonly name?: string
  readonly method?: string
  readonly body?: string
}

async function send({ token, name = 'a', method = 'POST', body = '{}' }: Sent) {
  const headers = token === undefined ? {} : { authorization: bearer(token) }
  const url = `https://x/apis/leasehold.dev/v1/nodes/${name}/token`
  return route.handle(new Request(url, { method, headers, ...(method === 'POST' && { body }) }))
}

const refusal = async (sent: Sent) => {
  try {
    await send(sent)
    return 'given'
  } catch (error) {
    if (error instanceof StatusError) return error.code
    throw error
  }
}

describe('the token path', () => {
  it('answers a TokenRequest that nobody may keep on the way', async () => {
    const response = await send({ token: bootstrap })
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(await response.json()).toEqual({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { audiences: [issued.audience], expirationSeconds: 600 },
      status: { token: expect.any(String), expirationTimestamp: '2026-01-01T00:10:00Z' },
    })
  })

  it('gives a node the life it asks for', async () => {
    const object = { metadata: { name: 'a', uid: 'u' } }
    await install.store.commit([{ do: 'createObject', resource: 'nodes', object, fields: {} }])
    const node = { user: 'system:node:a', groups: ['system:nodes'], nodeUid: 'u' }
    const token = await tokenFor(install, 'node', node)
    const response = await send({ token, body: '{"spec":{"expirationSeconds":3600}}' })
    expect(await response.json()).toMatchObject({
      spec: { expirationSeconds: 3600, boundObjectRef: { kind: 'Node', name: 'a', uid: 'u' } },
    })
  })

  it('takes the proof of a machine from the annotations', async () => {
    const body = JSON.stringify({
      metadata: { annotations: { 'leasehold.dev/machine-proof': `lhp1.${'a'.repeat(43)}` } },
    })
    await send({ token: bootstrap, body })
    expect(await refusal({ token: bootstrap, body })).toBe('given')
    expect(await refusal({ token: bootstrap })).toBe(403)
  })

  it.each([
    { when: 'there is no token', sent: {}, code: 401 },
    { when: 'the token is nonsense', sent: { token: 'x.y.z' }, code: 401 },
    { when: 'the method is another', sent: { token: 'b', method: 'GET' }, code: 405 },
    { when: 'the name is not one', sent: { token: 'b', name: 'A%2F..' }, code: 400 },
    { when: 'the body is not JSON', sent: { token: 'b', body: '{' }, code: 400 },
    { when: 'the body is huge', sent: { token: 'b', body: ' '.repeat(20_000) }, code: 413 },
    {
      when: 'the life is too short',
      sent: { token: 'b', body: '{"spec":{"expirationSeconds":5}}' },
      code: 422,
    },
    {
      when: 'the audience is another',
      sent: { token: 'b', body: '{"spec":{"audiences":["x"]}}' },
      code: 422,
    },
    {
      when: 'the proof is too short',
      sent: {
        token: 'b',
        body: '{"metadata":{"annotations":{"leasehold.dev/machine-proof":"x"}}}',
      },
      code: 422,
    },
  ])('answers $code when $when', async ({ sent, code }: { sent: Sent; code: number }) => {
    expect(await refusal({ ...sent, ...(sent.token === 'b' && { token: bootstrap }) })).toBe(code)
  })

  it('is closed to people who are no hosts', async () => {
    const token = await tokenFor(install, 'admin', { user: 'vera', groups: ['leasehold:viewers'] })
    await expect(send({ token })).rejects.toThrow(
      'nodes.leasehold.dev "a" is forbidden: User "vera" cannot create resource "nodes/token"',
    )
  })

  it('slows down whoever hammers it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 600 }, () => refusal({ token: bootstrap, body: '{' })),
    )
    expect(answers.filter((code) => code === 429).length).toBeGreaterThan(50)
  })

  it('never fails for a body, whatever is in it', async () => {
    const body = fc.oneof(fc.json(), fc.string())
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        install.clock.nowMs += 1_000
        const answer = await refusal({ token: bootstrap, body: sent })
        return answer === 'given' || answer < 500
      }),
    )
  })
})
