import { describe, expect, it } from 'vitest'
import {
  type Candidate,
  claimMonitorLease,
  hasYoungHolder,
  releaseMonitorLease,
  renewMonitorLease,
} from '../../../functions/monitor/monitor-lease.ts'
import type { LeaseSpec } from '../../../shared/kube/objects.ts'
import { StatusError } from '../../../shared/kube/status-error.ts'
import { formatMicroTime } from '../../../shared/kube/time.ts'
import { monitorLeaseKey } from '../../../shared/lifecycle/record-names.ts'
import { SmallFleet } from './small-fleet.ts'

const LIFETIME_MS = 13 * 60_000
/** The youngest age at which a holder is succeeded. */
const OLD_MS = LIFETIME_MS - 150_000

function world() {
  const fleet = new SmallFleet()
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
    fleet.nowMs += ms
  }
  const candidate = (identity: string): Candidate => ({ identity, deps: { ...fleet.deps, sleep } })
  const { leases } = fleet.store
  const spec = async () => (await leases.get(monitorLeaseKey))?.object.spec
  const change = async (changed: Partial<LeaseSpec>) => {
    const found = (await leases.get(monitorLeaseKey))!
    const next = { ...found.object, spec: { ...found.object.spec, ...changed } }
    expect((await leases.replace(next, found)).kind).toBe('replaced')
  }
  return { fleet, waits, candidate, spec, change, signal: new AbortController().signal }
}

describe('a claim', () => {
  it('of a lease that nobody has is written at once, for three ticks', async () => {
    const { candidate, spec, waits, signal, fleet } = world()
    expect(await claimMonitorLease(candidate('one'), signal)).toBe('mine')
    expect(await spec()).toMatchObject({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: formatMicroTime(fleet.nowMs * 1_000),
      renewTime: formatMicroTime(fleet.nowMs * 1_000),
    })
    expect(waits).toEqual([])
    expect(await claimMonitorLease(candidate('one'), signal)).toBe('mine')
    expect(waits).toEqual([])
  })

  it('asks the holder, and takes the lease when it has run out', async () => {
    const { candidate, spec, waits, signal, fleet } = world()
    await claimMonitorLease(candidate('one'), signal)
    const startedMs = fleet.nowMs
    expect(await claimMonitorLease(candidate('two'), signal)).toBe('mine')
    expect(await spec()).toMatchObject({ holderIdentity: 'two' })
    expect(new Set(waits)).toEqual(new Set([100]))
    expect(fleet.nowMs - startedMs).toBeGreaterThanOrEqual(15_000)
    expect(fleet.nowMs - startedMs).toBeLessThan(17_000)
  })

  it('is taken up as soon as the holder releases', async () => {
    const { candidate, fleet, signal } = world()
    const holder = candidate('one')
    await claimMonitorLease(holder, signal)
    const startedMs = fleet.nowMs
    const { deps } = candidate('two')
    const sleep = async (ms: number) => {
      fleet.nowMs += ms
      if (fleet.nowMs - startedMs >= 1_000) await releaseMonitorLease(holder)
    }
    expect(await claimMonitorLease({ identity: 'two', deps: { ...deps, sleep } }, signal)).toBe(
      'mine',
    )
    expect(fleet.nowMs - startedMs).toBe(1_000)
  })

  it('goes to a younger one that asked after it', async () => {
    const { candidate, change, fleet, signal } = world()
    await claimMonitorLease(candidate('one'), signal)
    const { deps } = candidate('two')
    const sleep = async (ms: number) => {
      fleet.nowMs += ms
      await change({ preferredHolder: 'three', strategy: 'OldestEmulationVersion' })
    }
    const late = { identity: 'two', deps: { ...deps, sleep } }
    expect(await claimMonitorLease(late, signal)).toBe('superseded')
  })

  it('asks for itself where an older one had asked', async () => {
    const { candidate, change, spec, fleet, signal } = world()
    await claimMonitorLease(candidate('one'), signal)
    await change({ preferredHolder: 'older', strategy: 'OldestEmulationVersion' })
    const asked: unknown[] = []
    const { deps } = candidate('two')
    const sleep = async (ms: number) => {
      fleet.nowMs += ms
      asked.push((await spec())?.preferredHolder)
    }
    await claimMonitorLease({ identity: 'two', deps: { ...deps, sleep } }, signal)
    expect(asked[0]).toBe('two')
  })

  it('is given up when the holder neither releases nor runs out', async () => {
    const { candidate, change, fleet, signal } = world()
    await claimMonitorLease(candidate('one'), signal)
    const startedMs = fleet.nowMs
    let beats = 0
    const { deps } = candidate('two')
    const sleep = async (ms: number) => {
      fleet.nowMs += ms
      await change({ renewTime: formatMicroTime(fleet.nowMs * 1_000 + (beats++ % 1_000)) })
    }
    const late = { identity: 'two', deps: { ...deps, sleep } }
    expect(await claimMonitorLease(late, signal)).toBe('refused')
    expect(fleet.nowMs - startedMs).toBe(45_500)
  })

  it('is not made by one that was told to end', async () => {
    const { candidate, spec } = world()
    expect(await claimMonitorLease(candidate('one'), AbortSignal.abort())).toBe('aborted')
    expect(await spec()).toBeUndefined()
  })

  it.each([
    { code: 504, when: 'may have been written: it is read again', mine: true },
    { code: 503, when: 'is asked again', mine: true },
    { code: 500, when: 'is no answer of a busy store', mine: false },
  ])('with an answer $code $when', async ({ code, mine }) => {
    const { candidate, fleet, waits, signal } = world()
    const { create } = fleet.store.leases
    let lost = 0
    Object.assign(fleet.store.leases, {
      create: async (lease: Parameters<typeof create>[0]) => {
        const made = await create(lease)
        if (lost++ === 0) throw new StatusError(code, 'Timeout', 'by the script')
        return made
      },
    })
    const claim = claimMonitorLease(candidate('one'), signal)
    if (!mine) return await expect(claim).rejects.toThrow('by the script')
    expect(await claim).toBe('mine')
    expect(waits).toEqual([500])
  })

  it('waits at random between two tries', async () => {
    const { candidate, fleet, signal } = world()
    const waits: number[] = []
    const draws = [0, 0.9]
    let outruns = 2
    const { create } = fleet.store.leases
    Object.assign(fleet.store.leases, {
      create: async (lease: Parameters<typeof create>[0]) =>
        outruns-- > 0 ? { kind: 'outrun' } : await create(lease),
    })
    const deps = {
      ...candidate('one').deps,
      random: () => draws.shift()!,
      sleep: async (ms: number) => void waits.push(ms),
    }
    expect(await claimMonitorLease({ identity: 'one', deps }, signal)).toBe('mine')
    expect(waits).toEqual([250, 700])
  })
})

describe('a holder', () => {
  it.each([
    { ageMs: OLD_MS - 1, preferredHolder: '', young: true },
    { ageMs: OLD_MS, preferredHolder: '', young: false },
    { ageMs: OLD_MS, preferredHolder: 'two', young: true },
  ])('of $ageMs ms, asked by "$preferredHolder", is left alone: $young', async (one) => {
    const { candidate, change, fleet, signal } = world()
    await claimMonitorLease(candidate('one'), signal)
    fleet.nowMs += one.ageMs
    const asked = one.preferredHolder && {
      preferredHolder: one.preferredHolder,
      strategy: 'OldestEmulationVersion',
    }
    await change({ renewTime: formatMicroTime(fleet.nowMs * 1_000), ...(asked || {}) })
    expect(await hasYoungHolder(candidate('three'), LIFETIME_MS)).toBe(one.young)
  })

  it('that is not there, has released or has run out is none', async () => {
    const { candidate, fleet, signal } = world()
    const two = candidate('two')
    expect(await hasYoungHolder(two, LIFETIME_MS)).toBe(false)
    await claimMonitorLease(candidate('one'), signal)
    expect(await hasYoungHolder(two, LIFETIME_MS)).toBe(true)
    await releaseMonitorLease(candidate('one'))
    expect(await hasYoungHolder(two, LIFETIME_MS)).toBe(false)
    await claimMonitorLease(candidate('one'), signal)
    fleet.nowMs += 16_001
    expect(await hasYoungHolder(two, LIFETIME_MS)).toBe(false)
  })

  it('renews what is its own, and hears that another wants it', async () => {
    const { candidate, change, spec, fleet, signal } = world()
    const one = candidate('one')
    await claimMonitorLease(one, signal)
    expect(await renewMonitorLease(one)).toBe('mine')
    fleet.nowMs += 5_000
    expect(await renewMonitorLease(one)).toBe('mine')
    expect(await spec()).toMatchObject({ renewTime: formatMicroTime(fleet.nowMs * 1_000) })
    await change({ preferredHolder: 'one', strategy: 'OldestEmulationVersion' })
    fleet.nowMs += 5_000
    expect(await renewMonitorLease(one)).toBe('mine')
    await change({ preferredHolder: 'two', strategy: 'OldestEmulationVersion' })
    fleet.nowMs += 5_000
    expect(await renewMonitorLease(one)).toBe('asked')
  })

  it('has lost a lease that another took, or that is gone', async () => {
    const { candidate, fleet, spec, signal } = world()
    const [one, two] = [candidate('one'), candidate('two')]
    expect(await renewMonitorLease(one)).toBe('lost')
    await claimMonitorLease(one, signal)
    await releaseMonitorLease(one)
    await claimMonitorLease(two, signal)
    fleet.nowMs += 5_000
    expect(await renewMonitorLease(one)).toBe('lost')
    await releaseMonitorLease(one)
    expect(await spec()).toMatchObject({ holderIdentity: 'two' })
  })
})
