import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canaryTokens, createCanary } from '../../../functions/monitor/canary.ts'
import { keyObjectSigner } from '../../../shared/auth/tokens/signer.ts'

const T0 = Date.UTC(2026, 0, 1)

function answering(...statuses: number[]) {
  const sent: { method: string; url: string; body: unknown }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ method: init.method ?? '', url, body: JSON.parse(String(init.body)) })
    return { status: statuses.shift() ?? 500, text: async () => 'said the server' }
  }
  const canary = createCanary({ server: 'https://x:1', fetch, token: async () => 'token' })
  return { canary, sent }
}

describe('the canary', () => {
  it('renews its lease as a host would', async () => {
    const { canary, sent } = answering(200)
    await canary(T0)
    const [{ method, url, body }] = sent as [(typeof sent)[0]]
    expect(method).toBe('PATCH')
    expect(url).toMatch(/^https:\/\/x:1\/apis\/coordination\.k8s\.io\/v1\/.*\/leasehold-canary$/)
    expect(body).toMatchObject({ spec: { renewTime: '2026-01-01T00:00:00.000000Z' } })
  })

  it('creates it when there is none', async () => {
    const { canary, sent } = answering(404, 201)
    await canary(T0)
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'PUT'])
  })

  it.each([401, 403, 429, 500, 503])('fails when it is answered with %i', async (status) => {
    await expect(answering(status).canary(T0)).rejects.toThrow(`${status}: said the server`)
  })

  it('asks for a token only when the last one is about to end', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = publicKey.export({ format: 'jwk' }) as Parameters<typeof keyObjectSigner>[2]
    let asked = 0
    const token = canaryTokens(() => {
      asked += 1
      return keyObjectSigner('node', privateKey, jwk)
    })
    const first = await token(T0)
    expect(await token(T0 + 40 * 60_000)).toBe(first)
    expect(await token(T0 + 51 * 60_000)).not.toBe(first)
    expect(asked).toBe(2)
  })
})
