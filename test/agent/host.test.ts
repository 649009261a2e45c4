import { describe, expect, it } from 'vitest'
import type { ServiceRequest } from '../../agent/client.ts'
import { DEFAULTS } from '../../agent/config/settings.ts'
import { startHost } from '../../agent/host.ts'
import { silentLog } from '../../agent/log.ts'
import { simulatedMachine } from '../../agent/machine/simulated-machine.ts'
import { startSimulatedHost } from '../../agent/simulated-host.ts'
import type { Node } from '../../shared/kube/objects.ts'
import { fakeClock } from './fake-clock.ts'
import { type Said, scriptedClient } from './scripted-client.ts'

const HOUR_MS = 3_600_000

/** Says yes to everything; what is written is what is read. */
function yes(objects: Map<string, unknown>) {
  return (call: ServiceRequest): Said => {
    const key = call.path.replace(/\/status$/, '')
    if (call.method === 'GET') {
      const body = objects.get(key)
      return body ? { code: 200, body } : { code: 404, body: { kind: 'Status' } }
    }
    if (call.method === 'PATCH') return { code: 200, body: objects.get(key) }
    const sent = call.body as Node
    const stored = { ...sent, metadata: { ...sent.metadata, uid: 'u', resourceVersion: '1' } }
    objects.set(call.method === 'POST' ? `${key}/${sent.metadata.name}` : key, stored)
    return { code: 200, body: stored }
  }
}

describe('a host in an hour', () => {
  it('that is quiet sends a beat every ten seconds and its status every five minutes', async () => {
    const clock = fakeClock()
    const { client, calls } = scriptedClient(yes(new Map()))
    const host = startSimulatedHost({ name: 'a', zone: 'z', client, clock })
    await clock.advance(HOUR_MS)
    const puts = calls.filter(({ method }) => method === 'PUT').length
    const patches = calls.filter(({ method }) => method === 'PATCH').length
    expect(puts).toBeGreaterThanOrEqual(355)
    expect(puts).toBeLessThanOrEqual(360)
    expect(patches).toBeGreaterThanOrEqual(11)
    expect(patches).toBeLessThanOrEqual(14)
    await host.stop()
    expect(clock.sleepers()).toBe(0)
  })

  it.each([
    { when: 'nobody answers', said: { code: 0 } },
    { when: 'everything fails', said: { code: 500 } },
    { when: 'every token is refused', said: { code: 401 } },
    { when: 'everything is forbidden', said: { code: 403 } },
    { when: 'it is told to slow down', said: { code: 429, retryAfterMs: 60_000 } },
  ])('does not spin before it is registered when $when', async ({ said }) => {
    const clock = fakeClock()
    const { client, calls } = scriptedClient(() => said)
    const host = startSimulatedHost({ name: 'a', client, clock })
    await clock.advance(HOUR_MS)
    // Registration is tried every seven seconds, with a read where it is forbidden.
    expect(calls.length).toBeLessThan((2 * HOUR_MS) / 7_000 + 20)
    expect(calls.length).toBeGreaterThan(100)
    await host.stop()
    expect(clock.sleepers()).toBe(0)
  })

  it.each([
    { when: 'nobody answers', said: { code: 0 } },
    { when: 'everything fails', said: { code: 500 } },
    { when: 'every write conflicts', said: { code: 409 } },
    { when: 'its lease is gone and may not be made', said: { code: 403 } },
    { when: 'it is told to wait for an hour', said: { code: 429, retryAfterMs: HOUR_MS } },
  ])('does not spin, and keeps trying, after it was registered when $when', async ({ said }) => {
    const clock = fakeClock()
    const answer = yes(new Map())
    let isFine = true
    const triedMs: number[] = []
    const { client, calls } = scriptedClient((call) => {
      if (isFine) return answer(call)
      if (call.path.includes('/leases')) triedMs.push(clock.steadyMs())
      return call.method === 'GET' && said.code === 409 ? answer(call) : said
    })
    const host = startSimulatedHost({ name: 'a', client, clock })
    await clock.advance(60_000)
    isFine = false
    const before = calls.length
    await clock.advance(HOUR_MS)
    const perSecond = (calls.length - before) / (HOUR_MS / 1_000)
    expect(perSecond).toBeLessThan(4)
    const pausesMs = [...triedMs.slice(1), clock.steadyMs()].map((at, i) => at - triedMs[i]!)
    // A beat apart, or the longest wait of the back-off, and never longer.
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(10_000)
    await host.stop()
    expect(clock.sleepers()).toBe(0)
  })

  it('that nobody answers ends within two answers when it is told to', async () => {
    const clock = fakeClock()
    const answer = yes(new Map())
    let isFine = true
    const { client } = scriptedClient(async (call) => {
      if (isFine) return answer(call)
      await clock.wait(10_000)
      return { code: 0 }
    })
    const machine = simulatedMachine('a')
    const host = startSimulatedHost({ name: 'a', client, clock, machine })
    await clock.advance(60_000)
    isFine = false
    machine.set({ signals: { 'nodefs.available': { available: 1, capacity: 1_000 } } })
    await clock.advance(15_000)
    const toldMs = clock.steadyMs()
    let tookMs = Number.POSITIVE_INFINITY
    void host.stop().then(() => {
      tookMs = clock.steadyMs() - toldMs
    })
    await clock.advance(100_000)
    expect(tookMs).toBeLessThanOrEqual(20_000)
  })

  it('undoes the cordon it left with, also when that fails at first', async () => {
    const clock = fakeClock()
    const left = { 'agent.leasehold.dev/left': '2026-01-01T00:00:00Z' }
    const answer = yes(new Map())
    const undone: number[] = []
    const { client } = scriptedClient((call) => {
      if (call.method === 'PATCH' && call.path.endsWith('/nodes/a')) {
        undone.push(clock.steadyMs())
        return undone.length === 1 ? { code: 503 } : { code: 200, body: {} }
      }
      const said = answer(call)
      if (call.method !== 'POST' || !call.path.endsWith('/nodes')) return said
      const node = said?.body as Node
      const metadata = { ...node.metadata, annotations: left }
      return { ...said, body: { ...node, metadata } }
    })
    const host = startSimulatedHost({ name: 'a', client, clock })
    await clock.advance(60_000)
    await host.stop()
    expect(undone).toHaveLength(2)
  })

  it('tells pressure when the machine has it', async () => {
    const clock = fakeClock()
    const machine = simulatedMachine('a')
    const { client, calls } = scriptedClient(yes(new Map()))
    const host = startSimulatedHost({ name: 'a', client, clock, machine })
    await clock.advance(60_000)
    machine.set({ signals: { 'nodefs.available': { available: 1, capacity: 1_000 } } })
    const before = calls.length
    await clock.advance(11_000)
    const sent = calls.slice(before).find(({ method }) => method === 'PATCH')
    expect(JSON.stringify(sent?.body)).toContain('KubeletHasDiskPressure')
    await host.stop()
  })
})

describe('a host that fences itself', () => {
  const gone = { kind: 'Status', reason: 'NotFound', details: { name: 'a', kind: 'nodes' } }
  const pod = { metadata: { name: 'web', namespace: 'ns', uid: 'w' } }

  /** One that runs a pod, and what its hook was told; `fault` is what it meets from now on. */
  async function running(fenceWorks: () => boolean = () => true) {
    const clock = fakeClock()
    const did: string[] = []
    const world = { fault: (_: ServiceRequest): Said => undefined }
    const answer = yes(new Map())
    const { client } = scriptedClient((call) => {
      const fault = world.fault(call)
      if (fault) return fault
      if (call.path.includes('/pods')) return { code: 200, body: { items: [pod] } }
      return answer(call)
    })
    const tell = (word: string) => async () => {
      did.push(word)
      return { ok: word !== 'fence' || fenceWorks(), message: '' }
    }
    const host = startHost({
      ...{ name: 'a', machineId: 'm', machine: simulatedMachine('a'), settings: DEFAULTS },
      ...{ client, clock, log: silentLog, isFencing: true },
      driver: { start: tell('start'), stop: tell('stop'), fence: tell('fence') },
    })
    await clock.advance(60_000)
    expect(did).toEqual(['start'])
    return { clock, did, world, host }
  }

  it('does so when its Node is deleted, and starts anew under the next one', async () => {
    const { clock, did, world, host } = await running()
    let isDeleted = true
    world.fault = ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/nodes')) isDeleted = false
      return isDeleted ? { code: 404, body: gone } : undefined
    }
    await clock.advance(60_000)
    await host.stop()
    expect(did).toEqual(['start', 'fence', 'start'])
  })

  it('does not wear the machine out with a hook that never works', async () => {
    const { clock, did, world, host } = await running(() => false)
    world.fault = () => ({ code: 0 })
    await clock.advance(600_000)
    await host.stop()
    const fences = did.filter((word) => word === 'fence').length
    expect(fences).toBeGreaterThan(100)
    expect(fences).toBeLessThan(300)
  })

  it('tries until it has worked, and then rests', async () => {
    let tries = 0
    const { clock, did, world, host } = await running(() => ++tries === 3)
    world.fault = () => ({ code: 0 })
    await clock.advance(120_000)
    expect(did).toEqual(['start', 'fence', 'fence', 'fence'])
    world.fault = () => undefined
    await clock.advance(20_000)
    await host.stop()
    expect(did.slice(4)).toEqual(['start'])
  })
})
