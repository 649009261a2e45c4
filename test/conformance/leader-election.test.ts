/**
 * Three candidates over HTTPS: one leader at a time, whatever happens to it, and a token that only
 * grows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Request } from '../election/elector.ts'
import { type ElectorAnswer, runElector } from '../election/runner.ts'
import { eventually } from '../eventually.ts'
import type { HttpsClient } from '../local-system/https-client.ts'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
/** Long enough that a leader on a busy machine does not miss its own deadline. */
const TIMING = { leaseDurationMs: 4_000, renewDeadlineMs: 3_500, retryPeriodMs: 200 }

let system: InProcessSystem
beforeAll(async () => {
  system = await startInProcess()
})
afterAll(() => system?.stop())

interface Term {
  readonly identity: string
  readonly token: number
  readonly fromMs: number
  toMs: number
}

it('hands over on release, takes over after silence, and never has two leaders', async () => {
  const terms: Term[] = []
  const candidates = ['a', 'b', 'c'].map((identity) => candidate(identity, system.http, terms))
  const leader = () => terms.find(({ toMs }) => toMs === Number.POSITIVE_INFINITY)
  const led = (count: number) =>
    eventually(`${count} terms`, () => terms.length >= count && leader() !== undefined)
  const member = () => candidates.find(({ identity }) => identity === leader()?.identity)!

  await led(1)
  const first = member()
  first.release()
  await first.done
  await led(2)

  const second = member()
  second.cut()
  await second.done
  await led(3)
  const third = member()
  third.release()
  await third.done

  expect(new Set(terms.map(({ identity }) => identity)).size).toBe(3)
  for (const [at, term] of terms.slice(1).entries()) {
    expect(term.fromMs).toBeGreaterThanOrEqual(terms[at]!.toMs)
    expect(term.token).toBeGreaterThan(terms[at]!.token)
  }
})

function candidate(identity: string, http: HttpsClient, terms: Term[]) {
  const stop = new AbortController()
  let isCut = false
  let term: Term | undefined
  const done = runElector({
    config: { identity, lock: { namespace: 'default', name: 'election' }, ...TIMING },
    client: {
      send: async (request) => (isCut ? { kind: 'error' } : await sent(http, request)),
    },
    clock: {
      now: () => ({ steadyMs: performance.now(), wallMs: Date.now() }),
      wait: async (ms, signal) => await sleep(ms, undefined, { signal }).catch(() => {}),
      random: Math.random,
    },
    releaseOnCancel: true,
    signal: stop.signal,
    callbacks: {
      startedLeading: (token) => {
        const fromMs = performance.now()
        term = { identity, token, fromMs, toMs: Number.POSITIVE_INFINITY }
        terms.push(term)
      },
      stoppedLeading: () => {
        if (term) term.toMs = performance.now()
      },
    },
  })
  return {
    identity,
    done,
    release: () => stop.abort(),
    cut: () => {
      isCut = true
    },
  }
}

async function sent(http: HttpsClient, request: Request): Promise<ElectorAnswer> {
  const { status, body } = await answerTo(http, request)
  if (status < 300) return { kind: 'lease', lease: body }
  if (status === 404) return { kind: 'notFound' }
  return { kind: status === 409 ? 'conflict' : 'error' }
}

function answerTo(http: HttpsClient, request: Request) {
  if (request.kind === 'get') return http.call('GET', `${LEASES}/election`)
  if (request.kind === 'create') return http.call('POST', LEASES, { body: request.lease })
  return http.call('PUT', `${LEASES}/election`, { body: request.lease })
}
