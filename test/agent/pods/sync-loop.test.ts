import { describe, expect, it } from 'vitest'
import type { ServiceRequest } from '../../../agent/client.ts'
import { silentLog } from '../../../agent/log.ts'
import type { DriverResult, PodDriver } from '../../../agent/pods/driver.ts'
import type { TrackedPod } from '../../../agent/pods/plan.ts'
import { runPodSyncLoop } from '../../../agent/pods/sync-loop.ts'
import type { Pod } from '../../../shared/kube/objects.ts'
import { fakeClock } from '../fake-clock.ts'
import { type Said, scriptedClient } from '../scripted-client.ts'

const pod = (name: string, isEnding = false): Pod => ({
  metadata: {
    name,
    namespace: 'ns',
    uid: `uid-${name}`,
    ...(isEnding && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
})

const refuse = (_: ServiceRequest): Said => undefined

/** Of a host whose beats are taken, and whose hooks take so long. */
function scene(
  results: Partial<Record<string, DriverResult>> = {},
  hookMs = 0,
  tracked?: Map<string, TrackedPod>,
) {
  const clock = fakeClock()
  const stop = new AbortController()
  const did: string[] = []
  const world = { pods: [] as Pod[], byName: new Map<string, Pod>(), refuse }
  const fine = { ok: true, message: 'ok' }
  const act = (word: string) => async (each: Pod) => {
    did.push(`${word} ${each.metadata.name}`)
    await clock.wait(hookMs)
    return results[word] ?? fine
  }
  const driver: PodDriver = {
    start: act('start'),
    stop: act('stop'),
    fence: async (all) => {
      did.push(`fence ${all.map(({ metadata }) => metadata.name)}`)
      return results.fence ?? fine
    },
  }
  const { client, calls } = scriptedClient((call) => {
    const refusal = world.refuse(call)
    if (refusal) return refusal
    if (call.method !== 'GET') did.push(`${call.method} ${call.path.split('/pods/')[1]}`)
    if (call.path.includes('?')) return { code: 200, body: { items: world.pods } }
    const found = world.byName.get(call.path.split('/').at(-1) ?? '')
    return call.method === 'GET' && !found ? { code: 404 } : { code: 200, body: found ?? {} }
  })
  const options = {
    nodeName: 'h',
    client,
    clock,
    driver,
    log: silentLog,
    signal: stop.signal,
    tracked,
  }
  const pods = runPodSyncLoop(options)
  pods.unfence()
  const lists = () => calls.filter(({ path }) => path.includes('?')).length
  return { clock, pods, did, world, calls, lists, stop }
}

describe('pods of this host', () => {
  it('are listed when the inbox changed, once more for the index, and every five minutes', async () => {
    const { clock, pods, lists } = scene()
    await clock.advance(0)
    expect(lists()).toBe(1)
    pods.inboxIs(7)
    await clock.advance(4_000)
    expect(lists()).toBe(2)
    await clock.advance(2_000)
    expect(lists()).toBe(3)
    pods.inboxIs(7)
    await clock.advance(250_000)
    expect(lists()).toBe(3)
    await clock.advance(60_000)
    expect(lists()).toBe(4)
  })

  it('are started, told about, stopped and confirmed with their uid', async () => {
    const { clock, pods, did, world, calls } = scene()
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(1_000)
    expect(did).toEqual(['start a', 'PATCH a/status'])
    world.pods = [pod('a', true)]
    pods.inboxIs(2)
    await clock.advance(60_000)
    expect(did.slice(2)).toEqual(['stop a', 'DELETE a'])
    expect(calls.find(({ method }) => method === 'DELETE')?.body).toMatchObject({
      gracePeriodSeconds: 0,
      preconditions: { uid: 'uid-a' },
    })
  })

  it.each([
    { when: 'it may be deleted or not', said: { code: 504 }, isThere: true, tries: 2 },
    { when: 'it kept changing', said: { code: 409 }, isThere: true, tries: 2 },
    { when: 'a successor has its name', said: { code: 409 }, isThere: false, tries: 1 },
  ])('whose deletion is not confirmed: $when', async ({ said, isThere, tries }) => {
    const { clock, pods, world } = scene()
    world.pods = [pod('a', true)]
    const { metadata } = pod('a')
    world.byName.set('a', isThere ? pod('a', true) : { metadata: { ...metadata, uid: 'next' } })
    let deletions = 0
    world.refuse = ({ method }) => {
      if (method !== 'DELETE') return undefined
      deletions += 1
      return deletions === 1 ? said : { code: 200, body: {} }
    }
    pods.inboxIs(1)
    await clock.advance(60_000)
    expect(deletions).toBe(tries)
  })

  it('are told about with their uid, once more when the answer is in doubt', async () => {
    const { clock, pods, world, calls } = scene()
    world.pods = [pod('a')]
    let patches = 0
    world.refuse = ({ method }) => {
      if (method !== 'PATCH') return undefined
      patches += 1
      return patches === 1 ? { code: 504 } : undefined
    }
    pods.inboxIs(1)
    await clock.advance(5_000)
    expect(patches).toBe(2)
    const bodies = calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
    expect(bodies).toMatchObject(bodies.map(() => ({ metadata: { uid: 'uid-a' } })))
  })

  it('are tried again after a failure, but not at once', async () => {
    const { clock, did, world, pods } = scene({ start: { ok: false, message: 'no' } })
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(10_000)
    expect(did.filter((each) => each === 'start a')).toHaveLength(1)
    await clock.advance(50_000)
    const tries = did.filter((each) => each === 'start a').length
    expect(tries).toBeGreaterThan(1)
    expect(tries).toBeLessThan(6)
  })

  it('are not stopped because one list did not show them', async () => {
    const { clock, did, world, pods } = scene()
    world.pods = [pod('a')]
    world.byName.set('a', pod('a'))
    pods.inboxIs(1)
    await clock.advance(1_000)
    world.pods = []
    await clock.advance(400_000)
    expect(did).not.toContain('stop a')
    world.byName.delete('a')
    await clock.advance(400_000)
    expect(did).toContain('stop a')
    expect(did).not.toContain('DELETE a')
  })

  it('are all stopped by a fence and started anew after it', async () => {
    const { clock, did, world, pods } = scene()
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(1_000)
    await pods.fence()
    await clock.advance(600_000)
    expect(did.slice(2)).toEqual(['fence a'])
    pods.unfence()
    await clock.advance(1_000)
    expect(did.slice(3)).toEqual(['start a', 'PATCH a/status'])
  })

  it('are fenced as well when they were just starting', async () => {
    const { clock, did, world, pods } = scene({}, 3_000)
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(1_000)
    await pods.fence()
    expect(did).toEqual(['start a', 'fence a'])
    await clock.advance(60_000)
    expect(did.slice(2)).toEqual(['fence a'])
  })

  it('are fenced when their start has failed, which may have left something running', async () => {
    const { clock, did, world, pods } = scene({ start: { ok: false, message: 'too slow' } })
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(1_000)
    await pods.fence()
    expect(did).toContain('fence a')
  })

  it('are fenced again until the hook says that they stand still', async () => {
    const results: Partial<Record<string, DriverResult>> = { fence: { ok: false, message: 'no' } }
    const { clock, did, world, pods } = scene(results)
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(1_000)
    await pods.fence()
    expect(pods.needsFence()).toBe(true)
    delete results.fence
    await pods.fence()
    expect(pods.needsFence()).toBe(false)
    expect(did.slice(2)).toEqual(['fence a', 'fence a'])
  })

  it('get their turn and their end while many others fail', async () => {
    const clumsy = Array.from({ length: 20 }, (_, at) => pod(`a${at}`))
    const { clock, did, world, pods } = scene({ start: { ok: false, message: 'no' } })
    world.pods = [...clumsy, pod('b')]
    pods.inboxIs(1)
    await clock.advance(5_000)
    expect(did).toContain('start b')
    world.pods = [...clumsy, pod('z', true)]
    pods.inboxIs(2)
    await clock.advance(5_000)
    expect(did).toContain('stop z')
  })

  it('are told about when the service has no time at first', async () => {
    const { clock, did, world, pods } = scene()
    let busyAnswers = 2
    world.refuse = ({ path }) =>
      path.endsWith('/status') && busyAnswers-- > 0 ? { code: 429, retryAfterMs: 2_000 } : undefined
    world.pods = [pod('a')]
    pods.inboxIs(1)
    await clock.advance(10_000)
    expect(did).toEqual(['start a', 'PATCH a/status'])
  })

  it('are listed once a second at most, however many start', async () => {
    const { clock, did, world, pods, lists } = scene()
    world.pods = Array.from({ length: 100 }, (_, at) => pod(`a${at}`))
    pods.inboxIs(1)
    await clock.advance(20_000)
    expect(did.filter((each) => each.startsWith('start'))).toHaveLength(100)
    expect(lists()).toBeLessThanOrEqual(21)
  })

  it('of a Node that is gone are stopped under the next one', async () => {
    const before = new Map([['uid-a', { pod: pod('a'), state: 'started' } as const]])
    const { clock, did } = scene({}, 0, before)
    await clock.advance(1_000)
    expect(did).toEqual(['stop a'])
  })

  it('wait for the first beat that is taken', async () => {
    const clock = fakeClock()
    const { client, calls } = scriptedClient(() => ({ code: 200, body: { items: [] } }))
    const nothing = async () => ({ ok: true, message: '' })
    const driver = { start: nothing, stop: nothing, fence: nothing }
    const { signal } = new AbortController()
    const pods = runPodSyncLoop({ nodeName: 'h', client, clock, driver, log: silentLog, signal })
    await clock.advance(600_000)
    expect(calls).toEqual([])
    pods.unfence()
    await clock.advance(0)
    expect(calls).toHaveLength(1)
  })
})
