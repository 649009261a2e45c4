/**
 * The functions as they are deployed: built bundles, each in a Node of its own with Lambda's
 * environment, played the events that Lambda sends, against the embedded engine.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundle } from '../../infra/bundle.ts'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { prepareTables } from '../../local/engine/store.ts'
import { tableStream } from '../../local/stream/table-stream.ts'
import { groupNames, nodeUser } from '../../shared/auth/subject.ts'
import { defaultIssuerAudience, type KeyRole } from '../../shared/auth/tokens/claims.ts'
import { kmsCall, kmsSigner } from '../../shared/auth/tokens/kms-signer.ts'
import { signToken } from '../../shared/auth/tokens/signer.ts'
import { endpointFromEnvironment } from '../../shared/store/aws/endpoint.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { startEventBridge } from '../fake-event-bridge.ts'
import { type FakeKms, startKms } from '../fake-kms.ts'
import { functionUrlEvent, httpApiEvent, type Sent } from '../functions/api/lambda/events.ts'
import { LEASES, lease, NODES, node } from '../functions/api/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-bundle-'))
const prefix = 'bundle'
let engine: Engine
let kms: FakeKms
let built: Bundle
let env: Record<string, string>
const playing = new Set<ChildProcess>()

beforeAll(async () => {
  engine = await startEngine()
  kms = await startKms()
  await prepareTables({ endpoint: engine.endpoint, tables: tableNames(prefix) })
  built = bundle('api', folder)
  env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
    AWS_ENDPOINT_URL_KMS: kms.url.href,
    DYNAMODB_ENDPOINT: engine.endpoint,
    LEASEHOLD_TABLE_PREFIX: prefix,
    LEASEHOLD_NODE_KEY_ID: 'node',
    LEASEHOLD_ADMIN_KEY_ID: 'admin',
  }
})

afterEach(() => {
  for (const child of playing) child.kill()
  playing.clear()
})

afterAll(async () => {
  await engine.stop()
  kms.close()
  rmSync(folder, { recursive: true })
})

interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A cold start: a new process that loads the file and takes one event after the other. */
async function start(file: string, more: Record<string, string> = {}) {
  const player = fileURLToPath(new URL('./bundle-player.ts', import.meta.url))
  const child = fork(player, [file], {
    env: { ...env, ...more },
    execArgv: [],
    // Its log goes nowhere; what it says before it dies goes to whoever reads this test.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  playing.add(child)
  await once(child, 'message')
  return async (event: unknown): Promise<Answer> => {
    const answered = once(child, 'message')
    child.send(event as object)
    const [{ answer, error }] = (await answered) as [{ answer?: Answer; error?: string }]
    if (!answer) throw new Error(error)
    return answer
  }
}

async function token(role: KeyRole, user: string, group: string, nodeUid?: string) {
  const timing = { clock: Date.now, random: () => 0, sleep: async () => {} }
  const signer = await kmsSigner(kmsCall(endpointFromEnvironment(env, 'kms')!, timing), {
    role,
    keyId: role,
  })
  const order = { ...defaultIssuerAudience, user, groups: [group], nodeUid, lifetimeSeconds: 600 }
  return (await signToken(signer, { ...order, tokenId: user, nowMs: Date.now() })).token
}

const ingresses = [
  { ingress: 'function-url', eventOf: functionUrlEvent },
  { ingress: 'http-api', eventOf: httpApiEvent },
] as const

/** Requests as somebody, one after the other, in one process. */
async function caller(ingress: (typeof ingresses)[number], file = built.file) {
  const play = await start(file, { LEASEHOLD_INGRESS: ingress.ingress })
  return async (bearer: string, method: string, path: string, body?: unknown) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': type }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const sent: Sent = { method, path, headers, ...text }
    const answer = await play(ingress.eventOf(sent))
    return { ...answer, object: answer.body.startsWith('{') ? JSON.parse(answer.body) : undefined }
  }
}

async function joined(call: Awaited<ReturnType<typeof caller>>, name: string) {
  const admin = await token('admin', 'ada', groupNames.masters)
  const { uid } = (await call(admin, 'POST', NODES, node(name))).object.metadata
  const own = await token('node', nodeUser(name), groupNames.nodes, uid)
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }]
  const claim = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: at(0) }
  const made = await call(own, 'POST', LEASES, lease(name, claim, { ownerReferences }))
  expect(made.statusCode, made.body).toBe(201)
  return { admin, own, made: made.object }
}

const at = (seconds: number) => `2026-01-02T03:04:${String(seconds).padStart(2, '0')}.000000Z`

describe.each(ingresses)('the api behind $ingress', (ingress) => {
  const name = `host-${ingress.ingress}`
  const path = `${LEASES}/${name}`

  it('lets a host join, beat and be seen', async () => {
    const call = await caller(ingress)
    const { admin, own, made } = await joined(call, name)
    const put = await call(own, 'PUT', path, { ...made, spec: { ...made.spec, renewTime: at(10) } })
    expect([put.statusCode, put.object?.spec.renewTime]).toEqual([200, at(10)])
    expect(put.headers['leasehold-inbox']).toBe('0')
    const patch = await call(own, 'PATCH', path, { spec: { renewTime: at(20) } })
    expect([patch.statusCode, patch.object?.spec.renewTime]).toEqual([200, at(20)])
    const seen = await call(admin, 'GET', NODES)
    expect(seen.object.items.map((one: { metadata: object }) => one.metadata)).toContainEqual(
      expect.objectContaining({ name }),
    )
    expect((await call('made-up', 'GET', NODES)).statusCode).toBe(401)
    expect((await call('', 'GET', '/healthz')).body).toBe('ok')
    expect((await call(admin, 'GET', '/apis')).object.kind).toBe('APIGroupList')
    expect((await call(admin, 'DELETE', `${NODES}/${name}`)).statusCode).toBe(200)
  })

  it('needs for a first beat only the files that load with it, and misses the rest aloud', async () => {
    const { admin, own, made } = await joined(await caller(ingress), `cold-${name}`)
    const cold = join(folder, `cold-${ingress.ingress}`)
    mkdirSync(cold)
    for (const file of built.initFiles) copyFileSync(file, join(cold, basename(file)))

    const call = await caller(ingress, join(cold, basename(built.file)))
    const beat = { ...made, spec: { ...made.spec, renewTime: at(30) } }
    const { statusCode, body } = await call(own, 'PUT', `${LEASES}/cold-${name}`, beat)
    expect(statusCode, body).toBe(200)
    const missed = await call(admin, 'GET', NODES)
    expect([missed.statusCode, missed.object.reason]).toEqual([500, 'InternalError'])
  })
})

it('the monitor takes a turn when the Scheduler starts it', async () => {
  const tables = `${prefix}-monitor`
  await prepareTables({ endpoint: engine.endpoint, tables: tableNames(tables) })
  const play = await start(bundle('monitor', folder).file, {
    LEASEHOLD_TABLE_PREFIX: tables,
    LEASEHOLD_STAGE: 'test',
    // Nobody listens there: the canary fails, and a fleet without nodes minds nothing.
    LEASEHOLD_API_URL: 'https://127.0.0.1:9',
  })
  const scheduled = {
    version: '0',
    id: '0d079340-135a-c8c6-95c2-41fb8f496c53',
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    time: '2026-01-01T00:00:00Z',
    detail: '{}',
  }
  expect(await play(scheduled)).toBe('empty')
})

it('the notifier tells the bus what the stream brought, and lets go of the batch', async () => {
  const [first] = ingresses
  await joined(await caller(first), 'told')
  const bus = await startEventBridge()
  const play = await start(bundle('notifier', folder).file, {
    LEASEHOLD_STAGE: 'test',
    LEASEHOLD_EVENT_BUS: 'leasehold-test',
    LEASEHOLD_DEAD_LETTER_QUEUE: 'https://127.0.0.1:9/queue',
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
  })
  expect(await play({ Records: await streamRecords() })).toEqual({ batchItemFailures: [] })
  expect(bus.entries).toContainEqual({ type: 'NodeRegistered', name: 'told' })
  bus.close()
})

/** What Lambda would be handed: the records of the embedded engine's own stream. */
async function streamRecords() {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' }
  const access = { endpoint: engine.endpoint, region: 'eu-central-1', credentials }
  const stream = await tableStream(new DynamoDBStreamsClient(access), tableNames(prefix).objects)
  const [shard] = await stream.shards()
  return (await stream.read(await stream.open(shard?.id ?? ''))).records
}
