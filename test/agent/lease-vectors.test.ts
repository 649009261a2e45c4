import { describe, expect } from 'vitest'
import { leaseToSend } from '../../agent/lease-content.ts'
import {
  ensureWaitMs,
  leaseTick,
  putUntilAccepted,
  type Step,
  type StepAnswer,
} from '../../agent/lease-tick.ts'
import { DEFAULT_TRANSITION_MS } from '../../agent/pressure.ts'
import {
  heartbeat,
  jittered,
  registrationWaitMs,
  renewIntervalMs,
  requestTimeoutMs,
} from '../../agent/schedule.ts'
import { DEFAULTS } from '../../agent/settings.ts'
import type { Lease } from '../../shared/kube/objects.ts'
import { formatMicroTime } from '../../shared/kube/time.ts'
import type { VectorCase } from '../vectors.ts'
import { playVectors } from './play-vectors.ts'

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
function playTick<T>(tick: Generator<Step, T, StepAnswer>, script: Record<string, Word[]>) {
  const calls: string[] = []
  const waitsSeconds: number[] = []
  let failureCallbacks = 0
  let next = tick.next()
  for (let turns = 0; !next.done; turns++) {
    if (turns > 200) throw new Error('the tick does not end')
    next = tick.next(answer(next.value))
  }
  return { result: next.value, calls, waitsSeconds, failureCallbacks }

  function answer(step: Step): StepAnswer {
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

type Player = (given: VectorCase['given'], expected: VectorCase['expect']) => void

const players: Readonly<Record<string, Player>> = {
  build(given, expected) {
    const wish = { ...given.config, nodeName: given.config.leaseName }
    const base = timed(given.base)
    const prepared = leaseToSend(base, wish, given.node ?? undefined, BASE_MS)
    const { apiVersion: _, kind: __, ...lease } = prepared.lease
    expect(lease).toEqual(timed(expected.lease))
    expect(!prepared.owned).toBe(expected.error)
  },

  update(given, expected) {
    const isRemade = expected.calls.includes('get:notFound')
    const nodeWord = given.nodeExists ? 'ok' : 'notFound'
    const played = playTick(putUntilAccepted(storedLease('1', given.baseHasOwner), HOLDER), {
      put: [...given.putAnswers],
      get: isRemade ? ['notFound'] : [],
      getNode: Array(50).fill(nodeWord),
    })
    const { calls, failureCallbacks } = expected
    expect(played).toMatchObject({ calls, failureCallbacks })
    expect(played.result.outcome === 'beaten').toBe(expected.ok)
    expect(played.waitsSeconds).toEqual([])
  },

  sync(given, expected) {
    const remembered = given.remembered
      ? storedLease(given.remembered, given.leaseHasOwner)
      : undefined
    const played = playTick(leaseTick(remembered, HOLDER), {
      put: [...(given.put ?? [])],
      get: [...(given.get ?? [])],
      post: [...(given.post ?? [])],
      getNode: given.node === null ? Array(50).fill('notFound') : [],
    })
    const version = played.result.remembered?.metadata.resourceVersion ?? null
    const { result: _, ...rest } = played
    expect({ ...rest, rememberedResourceVersion: version }).toMatchObject(expected)
  },

  backoff(given, expected) {
    const [waitMs, count] =
      given.what === 'nodeRegistration'
        ? [registrationWaitMs, given.attempts]
        : [ensureWaitMs, given.failures]
    const waits = Array.from({ length: count }, (_, index) => waitMs(index + 1) / 1000)
    expect(waits).toEqual(expected.waitsSeconds)
  },

  schedule(given, expected) {
    const { leaseDurationSeconds: duration, random = 0 } = given
    const intervalMs = renewIntervalMs(duration)
    const settings = heartbeat({ ...given, nodeLeaseDurationSeconds: duration })
    const answers = {
      renewIntervalSeconds: intervalMs / 1000,
      waitSeconds: jittered(intervalMs, random) / 1000,
      secondsBetweenTickStarts: jittered(intervalMs, random) / 1000 + given.tickSeconds,
      firstWaitSeconds: 0,
      heartbeatRequestTimeoutSeconds: requestTimeoutMs(settings) / 1000,
      // Held by tests of the loop itself: it beats until it is stopped, and stopping sends nothing.
      renewing: true,
      calls: [],
    }
    expect(answers).toMatchObject(expected)
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

  expiry(_given, expected) {
    // The agent reads no leases; the service's rule is DESIGN's "a beat is a write whose renewTime
    // differs".
    expect({ heartbeatKnown: false }).toEqual(expected)
  },
}

describe('lease-controller.json', () => {
  playVectors(
    'lease-controller',
    // Collecting leases is the service's work and is tested there.
    (each) => each.given.kind !== 'gc',
    (each) => {
      const play = players[each.given.kind as string]
      if (!play) throw new Error(`no player for ${each.given.kind}`)
      return play(each.given, each.expect)
    },
  )
})
