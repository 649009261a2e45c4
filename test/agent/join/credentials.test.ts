import { describe, expect, it } from 'vitest'
import type { ServiceResponse } from '../../../agent/client.ts'
import type { Transport } from '../../../agent/http.ts'
import { nodeCredentials } from '../../../agent/join/credentials.ts'
import { memoryTokenStore } from '../../../agent/join/token-store.ts'
import { silentLog } from '../../../agent/log.ts'
import { fakeClock } from '../fake-clock.ts'

const DAY = 86_400_000
const WEEK_SECONDS = 604_800

const given: Partial<ServiceResponse> = {
  code: 201,
  body: {
    spec: { expirationSeconds: WEEK_SECONDS, boundObjectRef: { kind: 'Node' } },
    status: { token: 'next' },
  },
}

function scene(answer: Partial<ServiceResponse> = given) {
  const clock = fakeClock()
  const transport: Transport = {
    exchange: async () => ({ code: 0, body: undefined, headers: {}, why: '', ...answer }),
    reset() {},
  }
  const options = { transport, nodeName: 'a', store: memoryTokenStore(), clock, log: silentLog }
  return { clock, held: nodeCredentials({ ...options, bootstrapToken: 'abcdef.0123456789abcdef' }) }
}

describe('a refusal', () => {
  const status = (reason: string) => ({ kind: 'Status', reason, details: { kind: 'nodes' } })

  it.each([
    { when: 'the service says so', body: status('Forbidden'), got: 'refused' },
    { when: 'a proxy shows a page', body: undefined, got: 'failed' },
    { when: 'a gateway says it its own way', body: { Message: 'Forbidden' }, got: 'failed' },
  ])('counts as one: $when: $got', async ({ body, got }) => {
    const { held } = scene({ code: 403, body })
    expect(await held.obtain()).toBe(got)
  })
})

describe('the next token', () => {
  it.each([
    { when: 'it is young', passes: DAY, wallJumps: 0, isDue: false },
    { when: 'two thirds of its life are over', passes: 5 * DAY, wallJumps: 0, isDue: true },
    { when: 'the clock is set forward', passes: DAY, wallJumps: 30 * DAY, isDue: true },
    { when: 'the clock is set back a little', passes: 5 * DAY, wallJumps: -4 * DAY, isDue: true },
    { when: 'it was issued in a wrong year', passes: DAY, wallJumps: -365 * DAY, isDue: true },
  ])('is due: $when: $isDue', async ({ passes, wallJumps, isDue }) => {
    const { clock, held } = scene()
    expect(await held.obtain()).toBe('ready')
    await clock.advance(passes)
    clock.jumpWall(wallJumps)
    expect(held.isRenewalDue()).toBe(isDue)
  })

  it('is asked for once after the clock was set', async () => {
    const { clock, held } = scene()
    await held.obtain()
    clock.jumpWall(-365 * DAY)
    expect(await held.renew()).toBe('ready')
    expect(held.isRenewalDue()).toBe(false)
  })
})
