import { describe, expect, it } from 'vitest'
import { leave } from '../../../agent/join/leave.ts'
import { silentLog } from '../../../agent/log.ts'
import { fakeClock } from '../fake-clock.ts'
import { scriptedClient } from '../scripted-client.ts'

describe('a release whose answer is in doubt', () => {
  it.each([
    { when: 'it was made', isMade: true, puts: 1 },
    { when: 'it was not', isMade: false, puts: 2 },
  ])('is looked up, and made if need be: $when', async ({ isMade, puts }) => {
    let holderIdentity = 'me'
    let sent = 0
    const { client } = scriptedClient(({ method, path }) => {
      if (!path.includes('/leases/')) return { code: 200, body: { metadata: {} } }
      if (method === 'GET') return { code: 200, body: { metadata: {}, spec: { holderIdentity } } }
      sent += 1
      if (isMade || sent > 1) holderIdentity = ''
      return sent === 1 ? { code: 504 } : { code: 200, body: {} }
    })
    const host = { nodeName: 'h', holderIdentity: 'me', clock: fakeClock(), log: silentLog }
    await leave({ ...host, client })
    expect(sent).toBe(puts)
    expect(holderIdentity).toBe('')
  })
})
