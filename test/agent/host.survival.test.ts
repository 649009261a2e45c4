import { describe, expect, it } from 'vitest'
import { type AgentClock, systemClock } from '../../agent/clock.ts'
import { type AgentSettings, DEFAULTS } from '../../agent/config/settings.ts'
import { type Host, startHost } from '../../agent/host.ts'
import { httpTransport } from '../../agent/http.ts'
import { nodeCredentials, tokenClient } from '../../agent/join/credentials.ts'
import { memoryTokenStore, type TokenStore } from '../../agent/join/token-store.ts'
import { heartbeat, renewalTiming } from '../../agent/lease/schedule.ts'
import { simulatedMachine } from '../../agent/machine/simulated-machine.ts'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { BOOTSTRAP, LEASE, NODE, type SmallServer, smallServer } from './small-server.ts'

/** A beat every quarter second: real time, but little of it. */
const quick: AgentSettings = {
  ...DEFAULTS,
  heartbeat: {
    ...heartbeat({ nodeLeaseDurationSeconds: 1 }),
    nodeStatusUpdateFrequencySeconds: 0.2,
    nodeStatusReportFrequencySeconds: 300,
  },
}

interface Wish {
  readonly url: string
  readonly bootstrapToken?: string | null
  readonly store?: TokenStore
  readonly clock?: AgentClock
  readonly settings?: AgentSettings
  readonly timeoutMs?: number
}

/** Longer than a busy machine lets an answer wait. */
const PATIENT_MS = 5_000

/** The system's clock, which notes every wait it was asked for. */
function notingClock() {
  const waits: number[] = []
  const clock: AgentClock = {
    ...systemClock,
    async wait(waitMs, signal) {
      await systemClock.wait(waitMs, signal)
      waits.push(waitMs)
    },
  }
  return { clock, waits }
}

/**
 * Servers and hosts of one test, which go when it is over. Tests run side by side: they mostly
 * wait.
 */
function stage(onTestFinished: (end: () => Promise<void>) => void) {
  return {
    async aServer(port?: number): Promise<SmallServer> {
      const server = await smallServer(port)
      onTestFinished(() => server.stop())
      return server
    },
    aHost(wish: Wish) {
      const started = startOne(wish)
      onTestFinished(() => started.host.stop())
      return started
    },
  }
}

function startOne({ url, bootstrapToken = BOOTSTRAP, store = memoryTokenStore(), ...rest }: Wish) {
  const said: string[] = []
  const log = { info: (text: string) => said.push(text), warn: (text: string) => said.push(text) }
  const { clock = systemClock, settings = quick, timeoutMs = PATIENT_MS } = rest
  const transport = httpTransport({ server: url, timeoutMs })
  const held = nodeCredentials({
    transport,
    nodeName: 'a',
    ...(bootstrapToken && { bootstrapToken }),
    store,
    clock,
    log,
  })
  const host: Host = startHost({
    name: 'a',
    machine: simulatedMachine('a'),
    machineId: 'm1',
    settings,
    client: tokenClient(transport, held),
    credentials: held,
    clock,
    log,
  })
  return { host, said }
}

/** What a host without a bootstrap token starts from. */
async function withKeptToken() {
  const store = memoryTokenStore()
  const issuedAtMs = Date.now()
  await store.save({ token: 'old', kind: 'node', issuedAtMs, expiresAtMs: issuedAtMs + 1e9 })
  return { bootstrapToken: null, store }
}

/** The Node has another uid now, and whatever was issued for the old one is worth nothing. */
function makeAnew(server: SmallServer): ReadonlySet<string> {
  const node = server.objects.get(NODE)
  if (node) server.objects.set(NODE, { ...node, metadata: { ...node.metadata, uid: 'new' } })
  server.objects.delete(LEASE)
  const worthless = new Set([...server.tokens.keys()].filter((token) => token !== BOOTSTRAP))
  server.fault = ({ path, token }) =>
    worthless.has(token) && (path.includes('/leases') || path.endsWith('/token'))
      ? { code: 403 }
      : undefined
  return worthless
}

const beats = (server: SmallServer) =>
  server.count('PUT', /leases/) + server.count('POST', /leases/)
const ready = (server: SmallServer) =>
  (server.objects.get(NODE) as Node | undefined)?.status?.conditions?.find(
    ({ type }) => type === 'Ready',
  )

describe('the agent', () => {
  it.concurrent('joins, registers, beats with one request each and keeps one connection', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    aHost(server)
    await eventually('three beats', () => beats(server) >= 3)
    expect(server.requests[0]).toMatchObject({ method: 'POST', token: BOOTSTRAP })
    const lease = server.objects.get(LEASE) as Lease
    expect(lease.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^a_[0-9a-f]{32}$/),
      leaseDurationSeconds: 1,
    })
    expect(lease.metadata.ownerReferences?.[0]?.uid).toBe(server.objects.get(NODE)?.metadata.uid)
    expect(ready(server)?.status).toBe('True')
    expect(server.connections()).toBeLessThanOrEqual(2)
    // After the lease was made every beat is one PUT: no read, no repeat.
    const settled = server.requests.slice(-2).filter(({ path }) => path === LEASE)
    expect(settled.every(({ method }) => method === 'PUT')).toBe(true)
    expect(server.count('GET', /leases/)).toBe(1)
  })

  it.concurrent('waits for a server that is down at the start, without spinning', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const parked = await smallServer()
    const port = Number(new URL(parked.url).port)
    await parked.stop()
    const { said } = aHost({ url: parked.url })
    await eventually('it complains', () => said.some((line) => line.includes('ECONNREFUSED')))
    const server = await aServer(port)
    await eventually('it beats', () => beats(server) >= 2)
    expect(said.length).toBeLessThan(40)
  })

  it.concurrent('goes on after a restart of the server, over a fresh connection', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const first = await smallServer()
    aHost(first)
    await eventually('it beats', () => beats(first) >= 2)
    const port = Number(new URL(first.url).port)
    await first.stop()
    const second = await aServer(port)
    for (const [key, object] of first.objects) second.objects.set(key, object)
    for (const [token, kind] of first.tokens) second.tokens.set(token, kind)
    await eventually('it beats again', () => beats(second) >= 2)
    expect(second.count('POST', /nodes$/)).toBe(0)
  })

  it.concurrent('joins again when its token is refused', async ({ onTestFinished }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    aHost(server)
    await eventually('it beats', () => beats(server) >= 2)
    for (const token of server.tokens.keys()) if (token !== BOOTSTRAP) server.tokens.delete(token)
    const before = server.requests.length
    await eventually('it beats with a new token', () =>
      server.requests
        .slice(before)
        .some(({ method, token }) => method === 'PUT' && server.tokens.has(token)),
    )
  })

  it.concurrent('says so when its token is refused and it cannot join, and keeps its pace', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    server.tokens.set('old', 'node')
    const { clock, waits } = notingClock()
    const { said } = aHost({ url: server.url, clock, ...(await withKeptToken()) })
    await eventually('it beats', () => beats(server) >= 1)
    server.tokens.clear()
    await eventually('it says so', () => said.some((line) => line.includes('no bootstrap token')))
    const start = server.requests.length
    waits.length = 0
    await eventually('it has gone on with beats and reports', () => waits.length >= 10)
    // Ten tries a beat is the kubelet's own ceiling, and status rounds add theirs.
    expect(server.requests.length - start).toBeLessThan(120)
  })

  it.concurrent('reads its lease again after a conflict and goes on', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    aHost(server)
    await eventually('it beats', () => beats(server) >= 2)
    const lease = server.objects.get(LEASE)
    if (!lease) throw new Error('no lease')
    const metadata = { ...lease.metadata, resourceVersion: '99999', labels: { touched: 'yes' } }
    server.objects.set(LEASE, { ...lease, metadata })
    const before = beats(server)
    await eventually('it beats on', () => beats(server) >= before + 3)
    expect(server.objects.get(LEASE)?.metadata.labels).toEqual({ touched: 'yes' })
  })

  it.concurrent('does not fight with another machine that holds its lease', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    const { clock, waits } = notingClock()
    const { said } = aHost({ url: server.url, clock })
    await eventually('it beats', () => beats(server) >= 1)
    server.fault = ({ method, path }) =>
      method === 'PUT' && path === LEASE ? { code: 409 } : undefined
    const lease = server.objects.get(LEASE) as Lease
    server.objects.set(LEASE, { ...lease, spec: { ...lease.spec, holderIdentity: 'a_other' } })
    await eventually('it says who', () => said.some((line) => line.includes('a_other')))
    const before = server.count('PUT', /leases/)
    waits.length = 0
    await eventually('beats and reports would have been due', () => waits.length >= 10)
    expect(server.count('PUT', /leases/) - before).toBeLessThanOrEqual(6)
  })

  it.concurrent('waits as long as the server asks when there is too much', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    const { clock, waits } = notingClock()
    aHost({ url: server.url, clock })
    await eventually('it beats', () => beats(server) >= 1)
    let refused = 0
    server.fault = ({ path }) => {
      if (path !== LEASE || refused > 0) return undefined
      refused++
      return { code: 429, headers: { 'retry-after': '1' } }
    }
    await eventually('it was refused', () => refused === 1)
    const before = beats(server)
    await eventually('it tries again', () => beats(server) > before)
    expect(waits).toContain(1_000)
  })

  it.concurrent('gives up on answers that do not come and tries a fresh connection', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    aHost({ url: server.url, timeoutMs: 300 })
    await eventually('it beats', () => beats(server) >= 1)
    let hung = 0
    server.fault = ({ path }) => (path === LEASE && ++hung <= 2 ? 'hang' : undefined)
    const before = server.connections()
    await eventually('it beats on', () => hung > 3)
    expect(server.connections()).toBeGreaterThan(before)
  })

  it.concurrent('keeps beating while the clock jumps by a day, either way', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    let jumpMs = 0
    const clock = { ...systemClock, wallMs: () => Date.now() + jumpMs }
    aHost({ url: server.url, clock })
    for (const day of [86_400_000, -86_400_000]) {
      await eventually('it beats', () => beats(server) >= 2)
      jumpMs = day
      const before = beats(server)
      await eventually('it beats on', () => beats(server) >= before + 2)
    }
    expect(server.requests.length).toBeLessThan(100)
  })

  it.concurrent('works without a place for its token, and says so', async ({ onTestFinished }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    const store: TokenStore = {
      load: async () => undefined,
      save: async () => {
        throw new Error('ENOSPC: no space left on device')
      },
    }
    const { said } = aHost({ url: server.url, store })
    await eventually('it beats', () => beats(server) >= 2)
    expect(said.some((line) => line.includes('no space left'))).toBe(true)
  })

  it.concurrent('registers again when its Node was deleted and it may join', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    aHost(server)
    await eventually('it beats', () => beats(server) >= 2)
    const uid = server.objects.get(NODE)?.metadata.uid
    server.objects.clear()
    await eventually('a new node beats', () => {
      const now = server.objects.get(NODE)?.metadata.uid
      const owner = (server.objects.get(LEASE) as Lease | undefined)?.metadata.ownerReferences?.[0]
      return now !== undefined && now !== uid && owner?.uid === now
    })
  })

  it.concurrent('stops when its Node was deleted and it may not join', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    server.tokens.set('old', 'node')
    const { host, said } = aHost({ url: server.url, ...(await withKeptToken()) })
    await eventually('it beats', () => beats(server) >= 2)
    server.objects.clear()
    expect(await host.done).toBe('nodeDeleted')
    expect(said.at(-1)).toContain('was deleted')
  })

  it.concurrent('joins again when its Node was made anew by somebody else', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    const { said } = aHost(server)
    await eventually('it beats', () => beats(server) >= 2)
    const worthless = makeAnew(server)
    await eventually('it beats with a token for the new one', () =>
      server.requests.some(({ method, token }) => method === 'PUT' && !worthless.has(token)),
    )
    expect(said.join()).toContain('made anew by somebody else')
  })

  it.concurrent('stops when its Node was made anew and it may not join', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    server.tokens.set('old', 'node')
    const { host, said } = aHost({ url: server.url, ...(await withKeptToken()) })
    await eventually('it beats', () => beats(server) >= 2)
    makeAnew(server)
    expect(await host.done).toBe('nodeDeleted')
    expect(said.at(-1)).toContain('no bootstrap token')
  })

  it.concurrent('reports everything at once when it was declared Unknown', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    aHost(server)
    await eventually('it is ready', () => ready(server)?.status === 'True' && beats(server) > 1)
    const node = server.objects.get(NODE) as Node
    const conditions = node.status?.conditions?.map((each) => ({
      ...each,
      status: 'Unknown' as const,
    }))
    server.objects.set(NODE, { ...node, status: { ...node.status, conditions } })
    server.beatHeaders = { 'leasehold-declared': '12345' }
    await eventually('it is ready again', () => ready(server)?.status === 'True')
  })

  it.concurrent('obeys when the server asks for another beat', async ({ onTestFinished }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    server.beatHeaders = { 'leasehold-beat-seconds': '2' }
    aHost(server)
    await eventually('the lease fits the slower beat', () => {
      const { leaseDurationSeconds } = (server.objects.get(LEASE) as Lease | undefined)?.spec ?? {}
      return leaseDurationSeconds === 8
    })
    expect(renewalTiming(quick.heartbeat, 0, { beatSeconds: 2 })).toMatchObject({
      intervalMs: 2_000,
      graceMs: 10_000,
    })
  })

  it.concurrent('leaves: cordoned, not ready, lease given back; and undoes that when it returns', async ({
    onTestFinished,
  }) => {
    const { aServer, aHost } = stage(onTestFinished)
    const server = await aServer()
    const { host } = aHost(server)
    await eventually('it beats', () => beats(server) >= 2)
    await host.leave()
    const node = () => server.objects.get(NODE) as Node
    expect(node().spec?.unschedulable).toBe(true)
    expect(ready(server)).toMatchObject({ status: 'False', reason: 'HostLeft' })
    expect((server.objects.get(LEASE) as Lease).spec?.holderIdentity).toBe('')
    aHost(server)
    await eventually('it is back', () => ready(server)?.status === 'True')
    expect(node().spec?.unschedulable).toBeUndefined()
  })
})
