/**
 * `npm run walk`: follows one warm renewal, one death and one watch through the code that ships and
 * prints the files whose functions they execute, in the order of their first call. The Lambda
 * handlers run over the embedded DynamoDB; KMS and EventBridge are played on loopback.
 */
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { lambdaDeps } from '../../functions/monitor/lambda-monitor.ts'
import { openSession } from '../../functions/monitor/session.ts'
import { tick } from '../../functions/monitor/tick.ts'
import { startEngine } from '../../local/engine/engine.ts'
import { prepareTables } from '../../local/engine/store.ts'
import { tableStream } from '../../local/stream/table-stream.ts'
import { groupNames, nodeUser } from '../../shared/auth/subject.ts'
import { defaultIssuerAudience, type KeyRole } from '../../shared/auth/tokens/claims.ts'
import { kmsCall, kmsSigner } from '../../shared/auth/tokens/kms-signer.ts'
import { signToken } from '../../shared/auth/tokens/signer.ts'
import { endpointFromEnvironment } from '../../shared/store/aws/endpoint.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { startEventBridge } from '../fake-event-bridge.ts'
import { startKms } from '../fake-kms.ts'
import { functionUrlEvent } from '../functions/api/lambda/events.ts'
import { LEASES, lease, NODES, node } from '../functions/api/world.ts'
import { traced } from './trace.ts'

/**
 * Files a journey may execute; lowered when one gets shorter. What a renewal executes too (the
 * request's way in, the store's calls) is marked and counted for the renewal only.
 */
const BUDGETS = { renewal: 42, death: 50, watch: 30 }
type Journey = keyof typeof BUDGETS

const PREFIX = 'walk'
const HOST = 'host-1'
/** The host that dies: the one that does not renew. */
const DEAD = 'host-3'
const GRACE_MS = 3_000
const engine = await startEngine()
const kms = await startKms()
const bus = await startEventBridge()
const env: Readonly<Record<string, string>> = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL_KMS: kms.url.href,
  AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
  DYNAMODB_ENDPOINT: engine.endpoint,
  LEASEHOLD_STAGE: 'walk',
  LEASEHOLD_TABLE_PREFIX: PREFIX,
  LEASEHOLD_NODE_KEY_ID: 'node',
  LEASEHOLD_ADMIN_KEY_ID: 'admin',
  LEASEHOLD_API_URL: 'https://127.0.0.1:9',
  LEASEHOLD_EVENT_BUS: 'walk',
  LEASEHOLD_DEAD_LETTER_QUEUE: 'https://127.0.0.1:9/queue',
}
Object.assign(process.env, env)

/** What Lambda's runtime brings along for answers that stream. */
const awslambda = {
  streamifyResponse: (handle: unknown) => handle,
  HttpResponseStream: { from: (stream: Writable) => stream },
}
Object.assign(globalThis, { awslambda })
const api = (await import('../../functions/api/handler.ts')).handler as unknown as (
  event: object,
  stream: Writable,
) => Promise<void>

interface Call {
  readonly token: string
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly body?: unknown
  readonly type?: string
}

function send(
  { token, method, path, query, body, type = 'application/json' }: Call,
  onText: (text: string) => void,
) {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      onText(String(chunk))
      done()
    },
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const sent = { method, path, headers, ...(query !== undefined && { query }) }
  const event = functionUrlEvent(body ? { ...sent, body: JSON.stringify(body) } : sent)
  return api(event, stream)
}

async function call(request: Call) {
  let text = ''
  await send(request, (part) => {
    text += part
  })
  const object = JSON.parse(text)
  if (object.kind === 'Status') throw new Error(text)
  return object
}

async function token(role: KeyRole, user: string, group: string, nodeUid?: string) {
  const policy = { clock: Date.now, random: () => 0, sleep: async () => {} }
  const signer = await kmsSigner(kmsCall(endpointFromEnvironment(env, 'kms')!, policy), {
    role,
    keyId: role,
  })
  const order = { ...defaultIssuerAudience, user, groups: [group], nodeUid, lifetimeSeconds: 600 }
  return (await signToken(signer, { ...order, tokenId: user, nowMs: Date.now() })).token
}

const time = (second: number) => new Date(Date.now() + second * 1000).toISOString().slice(0, 19)
const microTime = (second: number) => `${time(second)}.000000Z`

async function join(host: string) {
  const admin = await token('admin', 'ada', groupNames.masters)
  const made = await call({ token: admin, method: 'POST', path: NODES, body: node(host) })
  const { uid } = made.metadata
  const own = await token('node', nodeUser(host), groupNames.nodes, uid)
  const heard = { lastHeartbeatTime: `${time(0)}Z`, lastTransitionTime: `${time(0)}Z` }
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', ...heard }
  const status = { ...made, status: { conditions: [ready] } }
  await call({ token: own, method: 'PUT', path: `${NODES}/${host}/status`, body: status })
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: host, uid }]
  const spec = { holderIdentity: host, leaseDurationSeconds: 40, renewTime: microTime(0) }
  const body = lease(host, spec, { ownerReferences })
  return { admin, own, lease: await call({ token: own, method: 'POST', path: LEASES, body }) }
}

type Joined = Awaited<ReturnType<typeof join>>

async function renew({ own, lease: { metadata, spec } }: Joined) {
  const body = { spec: { holderIdentity: spec.holderIdentity, renewTime: microTime(1) } }
  const path = `${LEASES}/${metadata.name}`
  await call({ token: own, method: 'PATCH', path, body, type: 'application/merge-patch+json' })
}

/** Twice untraced, so that nothing is loaded or cached for the first time. */
async function renewal({ own, lease: created }: Joined, files: Set<string>) {
  let last = created
  const put = async (second: number) => {
    const body = { ...last, spec: { ...last.spec, renewTime: microTime(second) } }
    last = await call({ token: own, method: 'PUT', path: `${LEASES}/${HOST}`, body })
  }
  await put(1)
  await put(2)
  await traced(files, () => put(3))
}

/**
 * From the request to the first line about a change that another client made. The watch itself goes
 * on until this process ends.
 */
async function watch({ admin }: Joined, files: Set<string>) {
  const seen = Promise.withResolvers<void>()
  const request = { token: admin, method: 'GET', path: NODES, query: 'watch=true' }
  await traced(files, async () => {
    void send(request, (text) => {
      if (text.includes('"walked"')) seen.resolve()
    })
  })
  const path = `${NODES}/${HOST}`
  const found = await call({ token: admin, method: 'GET', path })
  const labels = { ...found.metadata.labels, walked: randomUUID() }
  const body = { ...found, metadata: { ...found.metadata, labels } }
  await call({ token: admin, method: 'PUT', path, body })
  await seen.promise
}

/** From the lease scan of the tick that marks one of three hosts to the event on the bus. */
async function death(alive: readonly Joined[], files: Set<string>) {
  const deps = await lambdaDeps(env)
  const settings = { ...deps.settings, nodeMonitorGracePeriodMs: GRACE_MS }
  const session = openSession({ ...deps, settings, canary: async () => {} })
  await tick(session)
  const { objects } = tableNames(PREFIX)
  const stream = await tableStream(
    new DynamoDBStreamsClient({ endpoint: engine.endpoint }),
    objects,
  )
  const [shard] = await stream.shards()
  const before = await stream.read(await stream.open(shard!.id))
  await sleep(GRACE_MS)
  for (const host of alive) await renew(host)
  const report = await traced(files, () => tick(session))
  if (report.decision.counts.marked !== 1) throw new Error('the tick marked no host')
  const { records } = await stream.read(before.next!)
  const notifier = (await import('../../functions/notifier/handler.ts')).handler
  await traced(files, () => notifier({ Records: records }))
  const told = bus.entries.map(({ type }) => type)
  if (!told.includes('NodeUnreachable')) throw new Error(`the bus heard only ${told}`)
}

await prepareTables({ endpoint: engine.endpoint, tables: tableNames(PREFIX) })
const journeys: Record<Journey, Set<string>> = {
  renewal: new Set(),
  death: new Set(),
  watch: new Set(),
}
const joined = await join(HOST)
const other = await join('host-2')
await join(DEAD)
await renewal(joined, journeys.renewal)
await watch(joined, new Set())
await watch(joined, journeys.watch)
await death([joined, other], journeys.death)

let isOver = false
for (const [name, files] of Object.entries(journeys)) {
  const isKnown = (file: string) => name !== 'renewal' && journeys.renewal.has(file)
  const own = [...files].filter((file) => !isKnown(file)).length
  const budget = BUDGETS[name as Journey]
  console.log(`\n${name}: ${own} files (budget ${budget}), ${files.size - own} of a renewal`)
  for (const file of files) console.log(`  ${isKnown(file) ? '.' : ' '} ${file}`)
  isOver ||= own > budget
}
await engine.stop()
kms.close()
bus.close()
/** The exit code. */
export const code = isOver ? 1 : 0
