/**
 * What does a renewal cost us? CPU of the whole Lambda handler (event in, answer out, token
 * checked) against a bare SDK `UpdateItem` in a loop and a hand-signed request as the floor, and
 * against the same handler without authentication; all in turn against one embedded DynamoDB.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb'
import type { ApiDeps, LogEntry } from '../functions/api/deps.ts'
import { bufferedHandler, type HttpEvent } from '../functions/api/lambda/http-event.ts'
import { adminToken } from '../local/admin-kubeconfig.ts'
import { type DataFolder, dataFolder } from '../local/data-folder.ts'
import { startEngine } from '../local/engine/engine.ts'
import { clientFor, localTables, openStore, prepareTables } from '../local/engine/store.ts'
import { ensureKeys, fileSigner } from '../local/keys.ts'
import { localApi } from '../local/serve/api.ts'
import { groupNames, nodeUser } from '../shared/auth/subject.ts'
import { defaultIssuerAudience, lifetimeSeconds } from '../shared/auth/tokens/claims.ts'
import { signToken } from '../shared/auth/tokens/signer.ts'
import type { KubeObject, Lease } from '../shared/kube/objects.ts'
import { formatMicroTime } from '../shared/kube/time.ts'
import { endpointOfClient } from '../shared/store/aws/endpoint.ts'
import { clockGuard } from '../shared/store/clock.ts'
import { signedCalls } from '../shared/store/dynamo/calls.ts'
import { renewalInput } from '../shared/store/dynamo/leases.ts'
import { renewalCondition } from '../shared/store/lease-state.ts'
import { type Bench, median, printTable } from './bench.ts'

// Many short rounds: a busy moment of the machine spoils one of each and not the median.
const ROUNDS = 60
const PER_ROUND = 80
const WARM_UP = 400
const BUDGET = 1
const AUTHENTICATION_BUDGET = 1.1

export const bench: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'))
  const engine = await startEngine()
  try {
    return await compare(await contenders(engine.endpoint, folder))
  } finally {
    await engine.stop()
    rmSync(folder, { recursive: true })
  }
}

type Beat = () => Promise<void>

async function compare(beats: Readonly<Record<string, Beat>>) {
  const cpu = new Map<string, number[]>()
  const rate = new Map<string, number[]>()
  for (const beat of Object.values(beats)) await repeat(beat, WARM_UP)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, beat] of Object.entries(beats)) {
      const { cpuMicros, perSecond } = await measure(beat)
      cpu.set(name, [...(cpu.get(name) ?? []), cpuMicros])
      rate.set(name, [...(rate.get(name) ?? []), perSecond])
    }
  const of = (values: ReadonlyMap<string, readonly number[]>, name: string) =>
    median(values.get(name) ?? [])
  const ratio = (name: string, to = 'bare SDK UpdateItem') => of(cpu, name) / of(cpu, to)
  printTable(
    Object.keys(beats).map((name) => ({
      renewal: name,
      'CPU µs': of(cpu, name).toFixed(0),
      'x SDK': ratio(name).toFixed(2),
      'per second': of(rate, name).toFixed(0),
    })),
  )
  const authentication = ratio('whole handler', 'without authentication')
  return [
    { name: 'renewals', ratio: ratio('whole handler'), budget: BUDGET },
    { name: 'renewals authentication', ratio: authentication, budget: AUTHENTICATION_BUDGET },
  ]
}

async function repeat(beat: Beat, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) await beat()
}

async function measure(beat: Beat) {
  const before = process.cpuUsage()
  const startMs = performance.now()
  await repeat(beat, PER_ROUND)
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - startMs) / 1000
  return { cpuMicros: (user + system) / PER_ROUND, perSecond: PER_ROUND / seconds }
}

async function contenders(endpoint: string, folder: string): Promise<Record<string, Beat>> {
  await prepareTables({ endpoint, tables: localTables })
  const client = clientFor({ endpoint })
  const guard = clockGuard(Date.now)
  const { updateItem: raw } = signedCalls(() => endpointOfClient(client), {
    clock: Date.now,
    guard,
  })
  const bare = (input: UpdateItemCommandInput) => client.send(new UpdateItemCommand(input))
  const handler = lambda(endpoint, folder)
  const trusted = await handler.join('trusted')
  const unauthenticated = lambda(endpoint, folder, withoutAuthentication(trusted))
  return {
    'whole handler': handlerBeat(handler, await handler.join('handler')),
    'without authentication': handlerBeat(unauthenticated, trusted),
    'bare SDK UpdateItem': itemBeat(bare, await handler.join('bare')),
    'hand-signed request': itemBeat(raw, await handler.join('raw')),
  }
}

interface Joined {
  readonly lease: Lease
  readonly token: string
}

interface Lambda {
  call<T extends KubeObject>(method: string, path: string, token: string, body: object): Promise<T>
  /** A node with its lease, and a token bound to it. */
  join(name: string): Promise<Joined>
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

/** Takes every caller for that node, without reading the token. */
function withoutAuthentication({ lease }: Joined): Partial<ApiDeps> {
  const { name = '', ownerReferences = [] } = lease.metadata
  const groups = [groupNames.nodes, groupNames.authenticated]
  const identity = { user: nodeUser(name), groups, nodeUid: ownerReferences[0]?.uid }
  return { authenticator: { authenticate: async () => ({ kind: 'known', identity }) } }
}

/** The handler as Lambda calls it, over the embedded engine and keys in files. */
function lambda(endpoint: string, folder: string, more: Partial<ApiDeps> = {}): Lambda {
  const data = dataFolder(folder)
  ensureKeys(data)
  const store = openStore({ endpoint, tables: localTables })
  const log = (entry: LogEntry) => console.error(entry)
  // A host that beats a thousand times a second is what the limiter is against.
  const handle = bufferedHandler(
    localApi({ store, data, log, more: { limiter: undefined, ...more } }),
  )
  const call: Lambda['call'] = async (method, path, token, body) => {
    const answer = await handle(eventOf(method, path, token, JSON.stringify(body)))
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${answer.body}`)
    return JSON.parse(answer.body ?? '')
  }
  return { call, join: (name) => joinNode(call, data, name) }
}

async function joinNode(call: Lambda['call'], data: DataFolder, name: string): Promise<Joined> {
  const admin = await adminToken(data, Date.now())
  const node = await call('POST', '/api/v1/nodes', admin, { metadata: { name } })
  const uid = node.metadata.uid ?? ''
  const { token } = await signToken(await fileSigner(data, 'node'), {
    ...defaultIssuerAudience,
    user: nodeUser(name),
    groups: [groupNames.nodes],
    nodeUid: uid,
    lifetimeSeconds: lifetimeSeconds.node,
    tokenId: randomUUID(),
    nowMs: Date.now(),
  })
  const lease = await call<Lease>('POST', LEASES, token, {
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microNow() },
  })
  return { lease, token }
}

function handlerBeat({ call }: Lambda, { lease, token }: Joined): Beat {
  let last = lease
  const path = `${LEASES}/${lease.metadata.name}`
  return async () => {
    const spec = { ...last.spec, renewTime: microNow() }
    last = await call<Lease>('PUT', path, token, { ...last, spec })
  }
}

/** The very update and condition of a renewal, with nothing around it. */
function itemBeat(
  update: (input: UpdateItemCommandInput) => Promise<unknown>,
  joined: Joined,
): Beat {
  const { name = '', uid, ownerReferences } = joined.lease.metadata
  const key = { namespace: 'kube-node-lease', name }
  const ownerUid = ownerReferences?.[0]?.uid
  let version = Number(joined.lease.metadata.resourceVersion)
  return async () => {
    const spec = { ...joined.lease.spec, renewTime: microNow() }
    const renewal = { key, spec, version, uid, ownerUid, object: joined.lease }
    version += 1
    const attempt = { nowMs: Date.now(), version, attemptId: randomUUID() }
    const condition = renewalCondition(renewal)!
    await update(renewalInput(renewal, condition, localTables.leases, attempt))
  }
}

const microNow = () =>
  formatMicroTime(Math.round((performance.timeOrigin + performance.now()) * 1000))

function eventOf(method: string, path: string, token: string, body: string): HttpEvent {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    requestContext: { http: { method, path } },
    body,
    isBase64Encoded: false,
  } as unknown as HttpEvent
}
