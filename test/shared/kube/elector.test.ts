import { describe, expect } from 'vitest'
import {
  acquireWaitMs,
  attempt,
  type Belief,
  coordinatedAttempt,
  type ElectorConfig,
  isHealthy,
  isLeading,
  leaderIn,
  lockTimeoutMs,
  type Reply,
  type Request,
  refuse,
  release,
} from '../../../shared/kube/elector.ts'
import {
  changedLease,
  isSameRecord,
  type LeaderRecord,
  recordOf,
  specOf,
} from '../../../shared/kube/leader-record.ts'
import type { Lease, LeaseSpec } from '../../../shared/kube/objects.ts'
import { playVectors } from '../../agent/play-vectors.ts'
import type { VectorCase } from '../../vectors.ts'
import { type LockServer, lockServer } from './lock-server.ts'

// Times in the vectors start at zero; the wire's start in 1970 and would print them all the same.
const at = (seconds: number) => ({ steadyMs: seconds * 1000, wallMs: seconds * 1000 })

type Spoken = Record<string, unknown> & { acquireTime?: number; renewTime?: number }

const recordFrom = ({ acquireTime, renewTime, ...rest }: Spoken): LeaderRecord => ({
  ...recordOf(),
  ...rest,
  ...(typeof acquireTime === 'number' && { acquireTimeMs: acquireTime * 1000 }),
  ...(typeof renewTime === 'number' && { renewTimeMs: renewTime * 1000 }),
})
const specFrom = (spoken: Spoken): LeaseSpec =>
  Object.keys(spoken).length === 0 ? {} : specOf(recordFrom(spoken))

function spokenRecord(spec: LeaseSpec | undefined): Spoken {
  const { acquireTimeMs, renewTimeMs, ...rest } = recordOf(spec)
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  return { ...rest, acquireTime: seconds(acquireTimeMs), renewTime: seconds(renewTimeMs) }
}

function play<T>(server: LockServer, steps: Generator<Request, T, Reply>, seconds: number): T {
  server.calls.length = 0
  let next = steps.next()
  while (!next.done) next = steps.next({ ...server.handle(next.value), atMs: seconds * 1000 })
  return next.value
}

const configOf = (identity: string, leaseDuration = 15): ElectorConfig => ({
  identity,
  lock: { namespace: 'ns', name: 'lock' },
  leaseDurationMs: leaseDuration * 1000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
})

type Player = (given: VectorCase['given'], expected: VectorCase['expect']) => void

const players: Readonly<Record<string, Player>> = {
  config(given, expected) {
    const { identity, leaseDuration, renewDeadline, retryPeriod } = given
    const refused = refuse(
      {
        ...configOf(identity, leaseDuration),
        renewDeadlineMs: renewDeadline * 1000,
        retryPeriodMs: retryPeriod * 1000,
        ...(given.lock === null && { lock: undefined }),
      },
      {
        startedLeading: given.onStartedLeading === null ? undefined : () => {},
        stoppedLeading: given.onStoppedLeading === null ? undefined : () => {},
      },
    )
    expect(refused === undefined).toBe(expected.ok)
  },

  steps(given, expected) {
    const server = lockServer()
    if (given.initialRecord) server.put(specFrom(given.initialRecord))
    const config = configOf(given.candidate.identity, given.candidate.leaseDuration)
    let belief: Belief = {}
    let reported: string | undefined
    given.steps.forEach((step: VectorCase['given'], index: number) => {
      if (step.server === 'delete') server.stored = undefined
      else if (step.server) {
        server.put({ ...server.stored?.spec, ...changed(step.server) })
      }
      server.faults.push(...(step.errors ?? []))
      const result = play(server, attempt(belief, config, at(step.at)), step.at)
      belief = result.belief
      const { record, newLeaderReported, ...want } = expected.steps[index]
      expect({
        success: result.succeeded,
        calls: server.calls,
        isLeader: isLeading(belief, config.identity),
        observedLeader: leaderIn(belief),
      }).toEqual(want)
      if (record) expect(spokenRecord(server.stored?.spec)).toMatchObject(record)
      const leader = leaderIn(belief)
      expect(leader === reported ? undefined : leader).toBe(newLeaderReported)
      reported = leader
    })
  },

  coordinated(given, expected) {
    const server = lockServer()
    const belief = given.stored ? seen(server, given.stored, given.observedAt ?? given.now) : {}
    const steps = coordinatedAttempt(belief, configOf(given.identity), at(given.now))
    const result = play(server, steps, given.now)
    expect(result.succeeded).toBe(expected.success)
    expect(server.calls).toEqual(expected.calls)
    if (expected.record) {
      expect(spokenRecord(server.stored?.spec)).toMatchObject(expected.record)
    }
  },

  release(given, expected) {
    const server = lockServer()
    if (given.candidate) return playNext(server, given, expected)
    // Time limit, own context and the switch belong to the runner: elector-runner.test.ts.
    if (given.now === undefined) return
    const config = configOf(given.identity)
    const belief = seen(server, { holderIdentity: given.observedHolder }, given.now)
    server.stored = undefined
    if (given.stored) {
      server.put({ ...specFrom(given.stored), strategy: 'x/y', preferredHolder: 'p' })
    }
    server.faults.push(...(given.errors ?? []))
    const successor = given.stored?.holderIdentity
    if (given.observedHolder === given.identity && successor && successor !== given.identity) {
      return leavesSuccessor(server, belief, config, given)
    }
    const calls: string[] = []
    let result: { released: boolean; retry?: true }
    do {
      result = play(server, release(belief, config, at(given.now)), given.now)
      calls.push(...server.calls)
    } while (result.retry)
    expect({ ok: result.released, calls }).toEqual({ ok: expected.ok, calls: expected.calls })
    if (!expected.record) return
    const spec = (server.stored as Lease | undefined)?.spec
    expect(spokenRecord(spec)).toMatchObject(expected.record)
    expect(spec).toMatchObject({ holderIdentity: '' })
    expect([spec?.strategy, spec?.preferredHolder]).toEqual([undefined, undefined])
  },

  health(given, expected) {
    if (given.elector === null) return expect(expected.healthy).toBe(true)
    const record = { ...recordOf(), holderIdentity: given.isLeader ? 'baz' : 'bing' }
    const config = configOf('baz', given.leaseDuration)
    const nowMs = given.secondsSinceObserved * 1000
    const healthy = isHealthy({ record, firstSeenMs: 0 }, config, given.timeout * 1000, nowMs)
    expect(healthy).toBe(expected.healthy)
  },

  convert(given, expected) {
    const lock = { namespace: 'ns', name: 'lock', labels: given.lockLabels }
    if (given.spec) {
      const { acquireTimeMs = null, renewTimeMs = null, ...rest } = recordOf(given.spec)
      const record = { ...rest, acquireTime: acquireTimeMs, renewTime: renewTimeMs }
      expect(record).toMatchObject(expected.record)
    } else if (given.record) {
      const text = specOf(recordFrom(given.record)).renewTime ?? ''
      expect(text.split('.')[1]?.length).toBe(expected.fractionDigits + 1)
    } else if (given.a) {
      expect(isSameRecord(recordFrom(given.a), recordFrom(given.b))).toBe(expected.equal)
    } else if (given.lockLabels) {
      const lease = { metadata: { labels: given.leaseLabels } }
      expect(changedLease(lock, lease, recordOf()).metadata.labels).toEqual(expected.labels)
    } else expect(() => changedLease(lock, undefined, recordOf())).toThrow()
  },

  timing(given, expected) {
    const { retryPeriod = 2, renewDeadline = 10, leaseDuration = 15 } = given
    const waitSeconds =
      given.random === undefined
        ? retryPeriod
        : acquireWaitMs(retryPeriod * 1000, given.random) / 1000
    expect({
      waitSeconds,
      firstWaitSeconds: 0,
      secondsBetweenAttemptStarts: waitSeconds + given.attemptSeconds,
      stopsBySeconds: retryPeriod + renewDeadline,
      othersMayTakeFromSeconds: leaseDuration,
      timeoutSeconds: lockTimeoutMs(renewDeadline * 1000) / 1000,
    }).toMatchObject(expected)
  },
}

function changed(server: Spoken): LeaseSpec {
  const spec = specOf(recordFrom(server)) as Record<string, unknown>
  const names: Record<string, string> = { leaderTransitions: 'leaseTransitions' }
  const keys = Object.keys(server).map((key) => names[key] ?? key)
  return Object.fromEntries(keys.map((key) => [key, spec[key]]))
}

function seen(server: LockServer, record: Spoken, seconds: number): Belief {
  server.put(specFrom(record))
  const lease = server.stored
  return { lease, record: recordOf(lease?.spec), firstSeenMs: seconds * 1000 }
}

/** client-go blanks it: docs/conformance.md says why we do not. */
function leavesSuccessor(
  server: LockServer,
  belief: Belief,
  config: ElectorConfig,
  given: VectorCase['given'],
): void {
  play(server, release(belief, config, at(given.now)), given.now)
  expect(server.calls).toEqual(['get'])
  expect(server.stored?.spec?.holderIdentity).toBe(given.stored.holderIdentity)
}

function playNext(
  server: LockServer,
  given: VectorCase['given'],
  expected: VectorCase['expect'],
): void {
  server.put(specFrom(given.stored))
  const result = play(server, attempt({}, configOf(given.candidate), at(given.now)), given.now)
  expect(result.succeeded).toBe(expected.success)
  expect(spokenRecord(server.stored?.spec)).toMatchObject(expected.record)
}

describe('leader-election.json', () => {
  playVectors(
    'leader-election',
    // What the server itself must do is tested where the server is.
    (each) => each.given.kind !== 'server',
    (each) => {
      const player = players[each.given.kind as string]
      if (!player) throw new Error(`no player for ${each.given.kind}`)
      return player(each.given, each.expect)
    },
  )
})
