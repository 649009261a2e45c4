/** Two candidates, one lock, a thousand rounds of beats, releases, expiries and deletions. */
import { expect, it } from 'vitest'
import type { Store, StoredLease } from '../../shared/store/ports.ts'
import { held, lease, lockKey, type MakeRig, type Rig, withSpec } from './rig.ts'

const rounds = 1_000
/** DynamoDB Local needs ten times as long as the embedded engine. */
const raceTimeoutMs = 240_000

export function raceBehaviour(make: MakeRig): void {
  it(
    'never lets two candidates hold one lease, and counts every acquisition once',
    async () => {
      const rig = await make()
      const numbers: number[] = []
      const rivals: readonly (readonly [string, Store])[] = [
        ['a', rig.store],
        ['b', rig.other],
      ]
      let now: StoredLease | undefined
      for (let round = 0; round < rounds; round += 1) {
        const wins = await Promise.all(rivals.map(([me, store]) => claim(store, me, round)))
        const won = wins.filter((win) => win !== undefined)
        expect(won.length, `round ${round}`).toBeLessThanOrEqual(1)
        numbers.push(...won.map((win) => win.object.spec?.leaseTransitions ?? 0))
        now = won[0] ?? now
        if (now) now = await passOn(rig, now, round)
      }
      // The first creation begins the count; every later acquisition is the next number.
      expect(numbers).toEqual(numbers.map((_, at) => at))
      expect(numbers.length).toBeGreaterThan(rounds / 2)
    },
    raceTimeoutMs,
  )
}

/** As client-go does: look, then create or take over; who is refused waits for the next round. */
async function claim(store: Store, me: string, round: number): Promise<StoredLease | undefined> {
  const found = await store.leases.get(lockKey)
  const spec = { ...held(me, round), leaseTransitions: 0 }
  if (!found) {
    const outcome = await store.leases.create(lease(lockKey, spec))
    return outcome.kind === 'created' ? outcome.now : undefined
  }
  if (found.object.spec?.holderIdentity === me) return undefined
  const outcome = await store.leases.replace(withSpec(found, spec), found)
  return outcome.kind === 'replaced' ? outcome.now : undefined
}

/**
 * What happens to a lease before the next round: by turns released, forgotten, deleted, renewed in
 * time.
 */
async function passOn(rig: Rig, now: StoredLease, round: number): Promise<StoredLease | undefined> {
  const { store, clock } = rig
  switch (round % 5) {
    case 0: {
      const outcome = await store.leases.replace(withSpec(now, { holderIdentity: '' }), now)
      return outcome.kind === 'replaced' ? outcome.now : now
    }
    case 2:
      await store.leases.remove(now)
      return undefined
    case 3: {
      clock.advance(15_000)
      const spec = held(now.object.spec?.holderIdentity ?? '', round + rounds)
      const outcome = await store.leases.renew({ key: lockKey, spec })
      return outcome.kind === 'renewed' ? outcome.lease : now
    }
    default:
      clock.advance(16_001)
      return now
  }
}
