import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { bootstrapTokenRoutes } from '../../../../functions/api/routes/bootstrap-token-routes.ts'
import { createAuthorizer } from '../../../../shared/auth/access/authorizer.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { bearer, type Install, newInstall, tokenFor } from '../../../shared/auth/install.ts'

let install: Install
let tokens: Readonly<Record<'operator' | 'viewer', string>>
beforeEach(async () => {
  install = await newInstall()
  tokens = {
    operator: await tokenFor(install, 'admin', { user: 'oleg', groups: ['leasehold:operators'] }),
    viewer: await tokenFor(install, 'admin', { user: 'vera', groups: ['leasehold:viewers'] }),
  }
})

interface Sent {
  readonly as?: 'operator' | 'viewer' | 'nobody'
  readonly id?: string
  readonly body?: string
}

async function send(method: string, { as = 'operator', id, body }: Sent = {}) {
  const { store, clock, authenticator } = install
  const authorizer = createAuthorizer()
  const randomInt = () => 1
  const deps = { store, authenticator, authorizer, clock: () => clock.nowMs, randomInt }
  const [{ handle }] = bootstrapTokenRoutes(deps) as [ReturnType<typeof bootstrapTokenRoutes>[0]]
  const url = `https://x/apis/leasehold.dev/v1/bootstraptokens${id ? `/${id}` : ''}`
  const headers = as === 'nobody' ? undefined : { authorization: bearer(tokens[as]) }
  try {
    const response = await handle(new Request(url, { method, headers, body }))
    return { status: response.status, text: await response.text() }
  } catch (error) {
    if (error instanceof StatusError) return { status: error.code, text: error.message }
    throw error
  }
}

describe('bootstrap tokens over HTTP', () => {
  it('are made, listed without their secrets, and revoked', async () => {
    const made = await send('POST', { body: '{"spec":{"uses":3,"description":"racks"}}' })
    expect(made.status).toBe(201)
    const { token } = JSON.parse(made.text).status
    const known = await install.authenticator.authenticate(bearer(token), install.clock.nowMs)
    expect(known.kind).toBe('known')

    const listed = await send('GET')
    expect(JSON.parse(listed.text).items).toEqual([
      {
        kind: 'BootstrapToken',
        apiVersion: 'leasehold.dev/v1',
        metadata: { name: 'bbbbbb', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: {
          description: 'racks',
          groups: [],
          expirationTimestamp: '2026-01-02T00:00:00Z',
          usesLeft: 3,
        },
      },
    ])
    expect(listed.text).not.toContain(token.slice(7))

    expect((await send('DELETE', { id: 'bbbbbb' })).status).toBe(200)
    expect((await send('DELETE', { id: 'bbbbbb' })).status).toBe(404)
  })

  it.each([
    { when: 'nobody asks', method: 'GET', sent: { as: 'nobody' }, status: 401 },
    { when: 'a viewer lists', method: 'GET', sent: { as: 'viewer' }, status: 403 },
    { when: 'a viewer makes one', method: 'POST', sent: { as: 'viewer', body: '{}' }, status: 403 },
    { when: 'a viewer revokes', method: 'DELETE', sent: { as: 'viewer', id: 'x' }, status: 403 },
    { when: 'all are deleted at once', method: 'DELETE', sent: {}, status: 405 },
    { when: 'one is replaced', method: 'PUT', sent: { id: 'x', body: '{}' }, status: 405 },
    {
      when: 'a group is another',
      method: 'POST',
      sent: { body: '{"spec":{"groups":["system:masters"]}}' },
      status: 422,
    },
    {
      when: 'the uses are none',
      method: 'POST',
      sent: { body: '{"spec":{"uses":0}}' },
      status: 422,
    },
    {
      when: 'it would live for ever',
      method: 'POST',
      sent: { body: '{"spec":{"ttlSeconds":1e12}}' },
      status: 422,
    },
    {
      when: 'a description that cannot become text',
      method: 'POST',
      sent: { body: '{"spec":{"description":{"toString":0}}}' },
      status: 422,
    },
    {
      when: 'a group that cannot become text',
      method: 'POST',
      sent: { body: '{"spec":{"groups":[{"toString":0}]}}' },
      status: 422,
    },
  ] as const)('$when: $status', async ({ method, sent, status }) => {
    expect((await send(method, sent)).status).toBe(status)
  })

  it('never fail for what is sent', async () => {
    const spec = fc.dictionary(
      fc.constantFrom('uses', 'groups', 'ttlSeconds', 'description'),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(spec, async (sent) => {
        await send('DELETE', { id: 'bbbbbb' })
        const { status } = await send('POST', { body: JSON.stringify({ spec: sent }) })
        return status === 201 || status === 422
      }),
    )
  })
})
