import { describe, expect } from 'vitest'
import { DEFAULTS } from '../../../agent/config/settings.ts'
import { newLease } from '../../../agent/lease/new-lease.ts'
import { heartbeat } from '../../../agent/lease/schedule.ts'
import {
  retryUpdateLease,
  type SyncStep,
  type SyncStepResult,
  syncLease,
} from '../../../agent/lease/sync.ts'
import { DEFAULT_TRANSITION_MS } from '../../../agent/machine/pressure.ts'
import type { Lease } from '../../../shared/kube/objects.ts'
import { formatMicroTime } from '../../../shared/kube/time.ts'
import { createdLease, replacedLease } from '../../../shared/store/lease-state.ts'
import type { VectorCase } from '../../vectors.ts'
import { playVectors } from '../play-vectors.ts'
import { outliveNode, registrationSeconds, runLease } from '../timed-loops.ts'

const BASE_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const HOLDER = 'foo'

type Spoken = { spec?: Record<string, unknown> } & Record<string, unknown>

/** Vector leases carry seconds; ours carry wire times. */
function timed(lease: Spoken | null): Lease | undefined {
  if (!lease) return undefined
  const spec = { ...lease.spec }
  for (const key of ['renewTime', 'acquireTime']) {
    if (typeof spec[key] === 'number') {
      spec[key] = formatMicroTime((BASE_MS + (spec[key] as number) * 1000) * 1000)
    }
  }
  return { ...lease, spec } as unknown as Lease
}

const owners = [{ apiVersion: 'v1', kind: 'Node', name: 'foo', uid: 'foo-uid' }]
const storedLease = (resourceVersion: string, hasOwner = true): Lease => ({
  metadata: { name: 'foo', resourceVersion, ...(hasOwner && { ownerReferences: owners }) },
  spec: { holderIdentity: HOLDER },
})

type Word = string | { readonly ok: string }

/** Plays the server: hands out the scripted answers in order and writes down what was asked. */
function playTick<T>(tick: Generator<SyncStep, T, SyncStepResult>, script: Record<string, Word[]>) {
  const calls: string[] = []
  const waitsSeconds: number[] = []
  let failureCallbacks = 0
  let next = tick.next()
  for (let turns = 0; !next.done; turns++) {
    if (turns > 200) throw new Error('the tick does not end')
    next = tick.next(answer(next.value))
  }
  return { result: next.value, calls, waitsSeconds, failureCallbacks }

  function answer(step: SyncStep): SyncStepResult {
    if (step.kind === 'wait') waitsSeconds.push(step.waitMs / 1000)
    if (step.kind === 'freshConnection') failureCallbacks++
    if (step.kind === 'wait' || step.kind === 'freshConnection') return { kind: 'done' }
    const word = script[step.kind]?.shift() ?? (step.kind === 'getNode' ? 'ok' : { ok: '9' })
    if (typeof word === 'string' && word !== 'ok') {
      calls.push(`${step.kind}:${word}`)
      return { kind: word as 'conflict' }
    }
    calls.push(step.kind)
    if (step.kind === 'getNode') return { kind: 'node', node: { name: 'foo', uid: 'foo-uid' } }
    return { kind: 'lease', lease: storedLease(typeof word === 'string' ? '9' : word.ok) }
  }
}

/** Milliseconds are as fine as the clock is. */
const rounded = (seconds: number) => Math.round(seconds * 1_000) / 1_000
const gaps = (times: readonly number[]) =>
  times.slice(1).map((time, at) => rounded(time - (times[at] ?? 0)))

/** When a lease that cannot be read is asked for, in seconds. */
async function ensureSeconds(count: number): Promise<readonly number[]> {
  const { calls } = await runLease({ answer: () => ({ code: 500 }), forSeconds: count * 7 })
  return calls.slice(0, count).map(({ atSeconds }) => atSeconds)
}

type Player = (given: VectorCase['given'], expected: VectorCase['expect']) => void | Promise<void>

const players: Readonly<Record<string, Player>> = {
  build(given, expected) {
    const wish = { ...given.config, nodeName: given.config.leaseName }
    const base = timed(given.base)
    const prepared = newLease(base, wish, given.node ?? undefined, BASE_MS)
    const { apiVersion: _, kind: __, ...lease } = prepared.lease
    expect(lease).toEqual(timed(expected.lease))
    expect(!prepared.owned).toBe(expected.error)
  },

  update(given, expected) {
    // Whether the lease is there to be read again is said only by what is asked next.
    const isRemade = expected.calls.includes('get:notFound')
    const nodeWord = given.nodeExists ? 'ok' : 'notFound'
    const played = playTick(retryUpdateLease(storedLease('1', given.baseHasOwner), HOLDER), {
      put: [...given.putAnswers],
      get: [...(given.get ?? (isRemade ? ['notFound'] : []))],
      getNode: Array(50).fill(nodeWord),
    })
    const { calls, failureCallbacks } = expected
    expect(played).toMatchObject({ calls, failureCallbacks })
    expect(played.result.outcome === 'renewed').toBe(expected.ok)
    expect(played.waitsSeconds).toEqual([])
  },

  sync(given, expected) {
    const remembered = given.remembered
      ? storedLease(given.remembered, given.leaseHasOwner)
      : undefined
    const played = playTick(syncLease(remembered, HOLDER), {
      put: [...(given.put ?? [])],
      get: [...(given.get ?? [])],
      post: [...(given.post ?? [])],
      getNode: given.node === null ? Array(50).fill('notFound') : [],
    })
    const version = played.result.remembered?.metadata.resourceVersion ?? null
    const { result: _, ...rest } = played
    expect({ ...rest, rememberedResourceVersion: version }).toMatchObject(expected)
  },

  async backoff(given, expected) {
    const waits =
      given.what === 'nodeRegistration'
        ? gaps([0, ...(await registrationSeconds(given.attempts))])
        : gaps(await ensureSeconds(given.failures + 1))
    expect(waits).toEqual(expected.waitsSeconds)
  },

  async schedule(given, expected) {
    const { calls, afterStop } = await runLease({
      nodeLeaseDurationSeconds: given.leaseDurationSeconds,
      nodeStatusUpdateFrequencySeconds: given.nodeStatusUpdateFrequencySeconds,
      random: given.random,
      answerSeconds: given.tickSeconds,
      forSeconds: Math.max(60, 2 * (given.leaseDurationSeconds ?? 0)),
    })
    const beats = calls.filter(({ method }) => method === 'PUT')
    const [first, second] = beats.slice(1)
    const betweenSeconds = rounded((second?.atSeconds ?? 0) - (first?.atSeconds ?? 0))
    const deletions = [...calls, ...afterStop].filter(({ method }) => method === 'DELETE')
    const seen = {
      renewIntervalSeconds: betweenSeconds,
      waitSeconds: betweenSeconds,
      secondsBetweenTickStarts: betweenSeconds,
      firstWaitSeconds: calls[0]?.atSeconds,
      heartbeatRequestTimeoutSeconds: (beats[0]?.timeoutMs ?? 0) / 1_000,
      // For as long as it is not stopped itself, whatever else ends.
      renewing: beats.length >= 6,
      calls: given.agentStops ? afterStop : deletions,
    }
    expect(seen).toMatchObject(expected)
  },

  config(given, expected) {
    const options = {
      nodeLeaseDurationSeconds: given.nodeLeaseDurationSeconds,
      nodeStatusUpdateFrequencySeconds: given.nodeStatusUpdateFrequency,
      nodeStatusReportFrequencySeconds: given.nodeStatusReportFrequency,
    }
    if (expected.error) return expect(() => heartbeat(options)).toThrow()
    const settings = heartbeat(options)
    expect({
      nodeStatusUpdateFrequency: settings.nodeStatusUpdateFrequencySeconds,
      nodeStatusReportFrequency: settings.nodeStatusReportFrequencySeconds,
      nodeLeaseDurationSeconds: settings.nodeLeaseDurationSeconds,
      evictionPressureTransitionPeriod: DEFAULT_TRANSITION_MS / 1000,
      nodeStatusMaxImages: DEFAULTS.maxImages,
      maxPods: DEFAULTS.maxPods,
    }).toMatchObject(expected)
  },

  async gc(_given, expected) {
    const calls = await outliveNode()
    const posts = calls.filter(({ method }) => method === 'POST').map(({ path }) => path)
    const { statusUpdateAnswer: _servers, ...wanted } = expected
    expect({
      nodeRecreated: posts.some((path) => path.endsWith('/nodes')),
      leaseRecreated: posts.some((path) => path.endsWith('/leases')),
    }).toEqual(wanted)
  },

  expiry({ renewTime }, expected) {
    // The agent reads no leases; this is what the service makes of one.
    const lease = timed({ metadata: { name: 'foo' }, spec: { holderIdentity: HOLDER, renewTime } })!
    const first = createdLease(lease, {}, { nowMs: 1, version: 1 }).state
    const again = (spec: object, nowMs: number) => {
      const next = { ...lease, spec: { ...lease.spec, ...spec } }
      const change = replacedLease(first, next, { nowMs, version: nowMs })
      return change !== 'held' && change.state.receivedAtMs === nowMs
    }
    expect({
      heartbeatKnown: first.receivedAtMs !== undefined,
      firstSightingMovesProbeTime: first.receivedAtMs === 1,
      secondSightingMovesProbeTime: again({}, 2),
      laterRenewTimeNoticed: again({ renewTime: formatMicroTime(BASE_MS * 1000) }, 3),
    }).toEqual(expected)
  },
}

describe('lease-controller.json', () => {
  playVectors(
    'lease-controller',
    // Collecting leases is the service's work and is tested there; outliving its Node is ours.
    (each) => each.given.kind !== 'gc' || each.given.nodeDeletedWhileAgentRuns === true,
    (each) => {
      const play = players[each.given.kind as string]
      if (!play) throw new Error(`no player for ${each.given.kind}`)
      return play(each.given, each.expect)
    },
  )
})
