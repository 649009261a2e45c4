/**
 * Findings 1 and 12: nobody can make the monitor look away from a dead host, and what we refuse for
 * reasons of our own condemns no living one.
 */
import { describe, expect, it } from 'vitest'
import { LEASES, LOCKS, lease } from '../functions/api/world.ts'
import { type BesiegedFleet, besiegedFleet, GRACE_MS, type Host } from './fleet.ts'
import { HOST, micro } from './service.ts'

/** Grace 10 s: dead is Unknown by then. */
const FOUND_MS = GRACE_MS + 2_000
const MINUTE_MS = 60_000

interface Attacker {
  readonly token: string
  readonly path: string
}

type Attack = (fleet: BesiegedFleet, attacker: Attacker) => Promise<readonly number[]>

const patch = async (fleet: BesiegedFleet, { token, path }: Attacker, holderIdentity: string) => {
  const renewTime = micro(fleet.clock()).replace('000Z', `${unique()}Z`)
  const body = { spec: { holderIdentity, renewTime } }
  return (await fleet.call('PATCH', path, { as: token, body })).status
}
let count = 0
const unique = () => String(count++ % 1_000).padStart(3, '0')

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a holder of 250 KB': async (fleet, attacker) => [
    await patch(fleet, attacker, 'x'.repeat(250 * 1024)),
  ],
  'a lease too large for its item': async (fleet, { token, path }) => {
    const annotations = { note: 'x'.repeat(300 * 1024) }
    const body = { metadata: { annotations }, spec: { renewTime: micro(fleet.clock()) } }
    return [(await fleet.call('PATCH', path, { as: token, body })).status]
  },
  '45 patches of its lease at once': (fleet, attacker) =>
    Promise.all(Array.from({ length: 45 }, () => patch(fleet, attacker, 'attacker'))),
  'a body that is announced and never sent': async (fleet, attacker) => [
    await announce(fleet, attacker),
  ],
}

async function announce(fleet: BesiegedFleet, { token, path }: Attacker): Promise<number> {
  const gone = new Error('the client went away')
  const body = new ReadableStream({
    start: (stream) => void fleet.time.after(5_000, () => stream.error(gone)),
  })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/merge-patch+json',
    'content-length': '100',
  }
  const sent = { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit
  return (await fleet.entry.fetch(new Request(`${HOST}${path}`, sent))).status
}

const ATTACKERS: Readonly<Record<string, (fleet: BesiegedFleet) => Promise<Attacker>>> = {
  node: async ({ hosts }) => ({ token: hosts[1]!.token, path: `${LEASES}/${hosts[1]!.name}` }),
  'lease user': async (fleet) => {
    const token = await fleet.personToken('leaseUser')
    const spec = { holderIdentity: 'attacker', leaseDurationSeconds: 60 }
    await fleet.call('POST', LOCKS, { as: token, body: lease('lock', spec) })
    return { token, path: `${LOCKS}/lock` }
  },
}

const cases = Object.keys(ATTACKERS).flatMap((who) =>
  Object.keys(ATTACKS).map((attack) => ({ who, attack })),
)

describe('for a minute', () => {
  it.each(cases)('$attack, by a $who, hides no death and condemns no host', async (one) => {
    const fleet = await besiegedFleet(7)
    const attacker = await ATTACKERS[one.who]!(fleet)
    const statuses = new Set<number>()
    fleet.every(1_000, async () => {
      for (const status of await ATTACKS[one.attack]!(fleet, attacker)) statuses.add(status)
    })
    await fleet.time.advance(20_000)
    const [dead, ...living] = fleet.hosts
    expect(await foundAfterMs(fleet, dead!)).toBeLessThanOrEqual(FOUND_MS)
    await fleet.time.advance(MINUTE_MS - 20_000)

    expect([...statuses].some((status) => status >= 400)).toBe(true)
    expect(await fleet.isBlind()).toBe(false)
    for (const { name } of living) expect([name, await fleet.ready(name)]).toEqual([name, 'True'])
    expect(await fleet.store.records.list('refused-beats/')).toEqual([])
    await fleet.stop()
  })
})

describe('a store that refuses', () => {
  it('one host: it is not marked however long that lasts, and the dead are still found', async () => {
    const fleet = await besiegedFleet(7)
    const [dead, refused, ...living] = fleet.hosts
    fleet.throttled.add(refused!.name)
    await fleet.time.advance(20_000)
    expect(await foundAfterMs(fleet, dead!)).toBeLessThanOrEqual(FOUND_MS)
    await fleet.time.advance(MINUTE_MS)
    for (const { name } of [refused!, ...living]) expect(await fleet.ready(name)).toBe('True')
    expect(await fleet.isBlind()).toBe(false)

    // When it dies, it sends nothing that could be refused.
    expect(await foundAfterMs(fleet, refused!, fleet.clock())).toBeLessThanOrEqual(FOUND_MS)
    await fleet.stop()
  })

  it('three of seven hosts: no host is marked until it is over', async () => {
    const fleet = await besiegedFleet(7)
    const [dead, ...others] = fleet.hosts
    for (const { name } of others.slice(0, 3)) fleet.throttled.add(name)
    await fleet.time.advance(10_000)
    dead!.isUp = false
    await fleet.time.advance(MINUTE_MS)
    expect(await fleet.isBlind()).toBe(true)
    for (const { name } of fleet.hosts) expect(await fleet.ready(name)).toBe('True')

    fleet.throttled.clear()
    await fleet.time.advance(3 * GRACE_MS)
    expect(await fleet.ready(dead!.name)).toBe('Unknown')
    for (const { name } of others) expect(await fleet.ready(name)).toBe('True')
    expect(await fleet.isBlind()).toBe(false)
    await fleet.stop()
  })

  it('twice, forty minutes apart: that is not forty minutes of refusals', async () => {
    const fleet = await besiegedFleet(4)
    const [dead, ...others] = fleet.hosts
    const untilBlindIs = async (wanted: boolean) => {
      for (let waitedMs = 0; waitedMs < 3 * GRACE_MS; waitedMs += 250) {
        if ((await fleet.isBlind()) === wanted) break
        await fleet.time.advance(250)
      }
      expect(await fleet.isBlind()).toBe(wanted)
    }
    const refuse = async () => {
      for (const { name } of others) fleet.throttled.add(name)
      await untilBlindIs(true)
      fleet.throttled.clear()
      await untilBlindIs(false)
    }
    await refuse()
    await fleet.time.advance(40 * MINUTE_MS)
    await refuse()
    expect(await foundAfterMs(fleet, dead!)).toBeLessThanOrEqual(FOUND_MS)
    const { record } = (await fleet.call('GET', FLEET)).body.status
    const blindMs = record.blind.map(({ fromMs, untilMs }: Stretch) => untilMs - fromMs)
    expect(blindMs).toHaveLength(2)
    expect(Math.max(...blindMs)).toBeLessThan(2 * GRACE_MS + 5_000)
    await fleet.stop()
  })
})

const FLEET = '/apis/leasehold.dev/v1/fleets/fleet'

interface Stretch {
  readonly fromMs: number
  readonly untilMs: number
}

/** How long after its last beat a host that dies now is Unknown. */
async function foundAfterMs(fleet: BesiegedFleet, host: Host, sinceMs?: number): Promise<number> {
  host.isUp = false
  const lastMs = sinceMs ?? host.beatAtMs
  while (fleet.clock() < lastMs + MINUTE_MS) {
    if ((await fleet.ready(host.name)) === 'Unknown') break
    await fleet.time.advance(250)
  }
  return fleet.clock() - lastMs
}
