/** Finding 11: no lease may become one that Go clients cannot read. */
import { expect, it } from 'vitest'
import { LOCKS, lease } from '../functions/api/world.ts'
import { micro, startService } from './service.ts'

const INT32 = 2 ** 31 - 1
const HALF = 2 ** 30

it.each([
  { first: INT32, status: 422 },
  { first: HALF + 1, status: 422 },
  { first: HALF, status: 201 },
])('a new lease that counts from $first is answered with $status', async ({ first, status }) => {
  const service = await startService()
  const renewTime = micro(service.clock())
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 1, leaseTransitions: first, renewTime }
  const body = lease('lock', spec)
  const as = 'leaseUser'
  expect((await service.call('POST', LOCKS, { as, body })).status).toBe(status)
  expect(
    (
      await service.call('PUT', `${LOCKS}/lock2`, {
        as,
        body: { ...body, metadata: { name: 'lock2' } },
      })
    ).status,
  ).toBe(status)
  service.advance(60_000)
  if (status !== 201) return
  const taken = await service.call('PATCH', `${LOCKS}/lock`, {
    as,
    body: {
      spec: { holderIdentity: 'b', leaseTransitions: INT32, renewTime: micro(service.clock()) },
    },
  })
  expect(taken.body.spec.leaseTransitions).toBe(HALF + 1)
})
