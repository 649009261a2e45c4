import { expect, it } from 'vitest'
import { measured } from '../../../infra/cost/usage.ts'
import { LEASES, lease, type Reply, world } from '../../functions/api/world.ts'

const renewTime = (second: number) => `2026-01-02T03:04:${second}.000000Z`
const spec = { holderIdentity: 'node-a', leaseDurationSeconds: 40, renewTime: renewTime(10) }

/** As HTTP/1.1 writes them. */
const bytesOf = ({ headers, text }: Reply) =>
  [...headers].reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, text.length)

it("an answer to our agent's beat is as small as the bill says", async () => {
  const place = world()
  const { body: found } = await place.call('POST', LEASES, { body: lease('node-a', spec) })
  const answer = await place.call('PUT', `${LEASES}/node-a`, {
    body: { ...found, spec: { ...found.spec, renewTime: renewTime(20) } },
    headers: { prefer: 'return=minimal' },
  })
  expect(answer.status).toBe(200)
  expect(bytesOf(answer)).toBeLessThanOrEqual(measured.beatAnswerBytes)
  expect(bytesOf(answer)).toBeGreaterThan(measured.beatAnswerBytes / 2)
})
