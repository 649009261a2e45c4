/** Finding 10: which tokens must not be believed, however well they are signed? */
import { describe, expect, it } from 'vitest'
import { NODES } from '../functions/api/world.ts'
import { startService } from './service.ts'

const MINUTE = 60_000

describe('a token from the future', () => {
  it.each([
    { aheadMs: 4_000, status: 200 },
    { aheadMs: 60_000, status: 401 },
    { aheadMs: 30 * 86_400_000, status: 401 },
  ])('issued $aheadMs ms ahead is answered with $status', async ({ aheadMs, status }) => {
    const service = await startService()
    const nowMs = service.clock() + aheadMs
    const as = await service.sign('admin', { user: 'vera', groups: ['leasehold:viewers'], nowMs })
    expect((await service.call('GET', NODES, { as })).status).toBe(status)
  })

  it('is not believed when only its nbf is past', async () => {
    const service = await startService()
    const { iat, token } = await signedAhead(service)
    expect(iat * 1000).toBeGreaterThan(service.clock() + MINUTE)
    expect((await service.call('GET', NODES, { as: token })).status).toBe(401)
  })
})

/** As one who stole the key would sign it: valid now, issued next month, so never revoked. */
async function signedAhead(service: Awaited<ReturnType<typeof startService>>) {
  const iat = Math.floor(service.clock() / 1000) + 30 * 86_400
  const token = await service.signClaims('admin', {
    sub: 'vera',
    groups: ['leasehold:viewers'],
    iat,
    nbf: Math.floor(service.clock() / 1000) - 10,
    exp: iat + 3_600,
    jti: 'x',
  })
  return { iat, token }
}
