import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FakeClock, fakeClock } from '../agent/fake-clock.ts'
import { seededRandom } from '../builders/seeded-random.ts'
import { DEFAULT_TIMING } from './elector.ts'
import { type LockServer, lockServer } from './lock-server.ts'
import { type ElectorAnswer, type ElectorClient, runElector } from './runner.ts'

const lock = { namespace: 'ns', name: 'lock' }

interface Candidate {
  readonly story: string[]
  readonly done: Promise<void>
  cancel(): void
}

function candidate(
  identity: string,
  clock: FakeClock,
  client: ElectorClient,
  releaseOnCancel = false,
  onLeading: (delta: 1 | -1) => void = () => {},
): Candidate {
  const story: string[] = []
  const stop = new AbortController()
  let led = false
  const done = runElector({
    config: { identity, lock, ...DEFAULT_TIMING },
    client,
    clock: {
      now: () => ({ steadyMs: clock.steadyMs(), wallMs: clock.wallMs() }),
      wait: clock.wait,
      random: clock.random,
    },
    releaseOnCancel,
    signal: stop.signal,
    callbacks: {
      startedLeading: (transitions) => {
        led = true
        story.push(`leads ${transitions}`)
        onLeading(1)
      },
      stoppedLeading: () => {
        story.push('stopped')
        if (led) onLeading(-1)
      },
      newLeader: (name) => story.push(`sees ${name || 'nobody'}`),
    },
  })
  return { story, done, cancel: () => stop.abort() }
}

const direct = (server: LockServer): ElectorClient => ({
  send: async (request) => server.handle(request),
})

/** Answers never come: what a cut cable looks like. */
const cutOff = (clock: FakeClock): ElectorClient => ({
  send: async (_request, timeoutMs) => {
    await clock.wait(timeoutMs)
    return { kind: 'error' }
  },
})

describe('the elector', () => {
  it('leads, gives the lease back when cancelled, and the next one takes it without waiting', async () => {
    const [clock, server] = [fakeClock(), lockServer()]
    const first = candidate('a', clock, direct(server), true)
    await clock.advance(100)
    const second = candidate('b', clock, direct(server))
    await clock.advance(1_000)
    first.cancel()
    await first.done
    await clock.advance(2_000)
    second.cancel()
    await second.done
    expect(first.story).toEqual(['sees a', 'leads 0', 'stopped', 'sees nobody'])
    expect(second.story).toEqual(['sees a', 'sees b', 'leads 1', 'stopped'])
  })

  it('does not touch the lease on the way out unless asked to', async () => {
    const [clock, server] = [fakeClock(), lockServer()]
    const only = candidate('a', clock, direct(server))
    await clock.advance(1_000)
    server.calls.length = 0
    only.cancel()
    await only.done
    expect(server.calls).toEqual([])
  })

  it('tells that it stopped even when it never led', async () => {
    const [clock, server] = [fakeClock(), lockServer()]
    server.put({ holderIdentity: 'x', leaseDurationSeconds: 15 })
    const only = candidate('a', clock, direct(server))
    await clock.advance(1_000)
    only.cancel()
    await only.done
    expect(only.story).toEqual(['sees x', 'stopped'])
  })

  it('stops leading within renewDeadline and a retry of its last success when cut off', async () => {
    const [clock, server] = [fakeClock(), lockServer()]
    let client = direct(server)
    const only = candidate('a', clock, { send: (request, ms) => client.send(request, ms) })
    await clock.advance(2_000)
    client = cutOff(clock)
    await clock.advance(12_000)
    expect(only.story.at(-1)).toBe('stopped')
  })

  it('does not blank the record of a successor it has not noticed', async () => {
    const [clock, server] = [fakeClock(), lockServer()]
    const only = candidate('a', clock, direct(server), true)
    await clock.advance(1_000)
    server.put({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 })
    only.cancel()
    await only.done
    expect(server.stored?.spec?.holderIdentity).toBe('b')
  })

  it('gives up giving back after renewDeadline', async () => {
    const [clock, server] = [fakeClock(), lockServer()]
    let isHostile = false
    const only = candidate(
      'a',
      clock,
      {
        send: async (request) =>
          isHostile && request.kind === 'update' ? { kind: 'conflict' } : server.handle(request),
      },
      true,
    )
    await clock.advance(1_000)
    isHostile = true
    only.cancel()
    await clock.advance(DEFAULT_TIMING.renewDeadlineMs + 1_000)
    await only.done
    expect(server.stored?.spec?.holderIdentity).toBe('a')
  })

  it('refuses a configuration that cannot work', async () => {
    const run = runElector({
      config: { identity: '', lock, ...DEFAULT_TIMING },
      client: direct(lockServer()),
      clock: { now: () => ({ steadyMs: 0, wallMs: 0 }), wait: async () => {}, random: () => 0 },
      releaseOnCancel: false,
      signal: new AbortController().signal,
      callbacks: { startedLeading() {}, stoppedLeading() {} },
    })
    await expect(run).rejects.toThrow('identity must not be empty')
  })
})

describe('one leader', () => {
  const fault = fc.record({
    who: fc.nat(2),
    fromMs: fc.nat(60_000),
    forMs: fc.integer({ min: 1, max: 40_000 }),
    kind: fc.constantFrom('request lost', 'answer lost'),
  })

  it('at any moment at most one candidate leads, whatever the network does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 6 }), fc.nat(), async (faults, seed) => {
        const random = seededRandom(seed)
        const [clock, server] = [fakeClock(random), lockServer()]
        let leaders = 0
        let most = 0
        const count = (delta: 1 | -1) => {
          leaders += delta
          most = Math.max(most, leaders)
        }
        const network = (who: number): ElectorClient => ({
          async send(request, timeoutMs): Promise<ElectorAnswer> {
            const now = clock.steadyMs()
            const met = faults.find(
              (each) => each.who === who && now >= each.fromMs && now < each.fromMs + each.forMs,
            )
            await clock.wait(random() * 500)
            if (met?.kind === 'request lost') return lose(timeoutMs)
            const answer = server.handle(request)
            if (met) return lose(timeoutMs)
            await clock.wait(random() * 500)
            return answer
          },
        })
        async function lose(timeoutMs: number): Promise<ElectorAnswer> {
          await clock.wait(timeoutMs)
          return { kind: 'error' }
        }
        const all = [0, 1, 2].map((who) =>
          candidate(`c${who}`, clock, network(who), who === 1, count),
        )
        await clock.advance(90_000)
        for (const each of all) each.cancel()
        await clock.advance(30_000)
        await Promise.all(all.map(({ done }) => done))
        expect(most).toBe(1)
        expect(leaders).toBe(0)
      }),
      { numRuns: 30 },
    )
  })
})
