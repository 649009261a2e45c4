/**
 * Plays drawn requests against the api as it ships, in one small world after another, and says what
 * it did that it must not: fail, answer at length, work without bound, change something and refuse.
 */
import type { FetchHandler } from '../../../functions/api/entry.ts'
import { createWatchServer } from '../../../functions/api/watch/watch-server.ts'
import { resources } from '../../../shared/kube/registry.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { seededRandom } from '../../builders/seeded-random.ts'
import { init, NODES } from '../../functions/api/world.ts'
import { askToken, HOST, joinHost, proofOf, startService, tokenIn } from '../service.ts'
import { countedStore, countValidations, noWork, type Work } from './counted-work.ts'
import { type DrawnRequest, drawRequest } from './drawn-request.ts'
import { soundObject } from './hostile-objects.ts'

/** So that lists stay short, and a finding can be played again without what came long before. */
const REQUESTS_OF_A_WORLD = 200

/** What one request may cost, apart from deletions of collections, which have a price per object. */
export const LIMITS = {
  answerBytes: 1024 * 1024,
  errorsListed: 100,
  /** Five lost races of a change, or eight names drawn for a create. */
  objectsValidated: 8,
  storeCalls: 16,
  /** Of DynamoDB. */
  itemBytes: 400 * 1024,
  /** A list of a small world, from every shard. */
  readUnits: 256,
  /** Two items of 400 KB in a transaction, and a few small ones. */
  writeUnits: 1_700,
} as const

export interface Finding {
  readonly world: number
  readonly request: number
  readonly what: string
  readonly asked: string
}

interface Played {
  readonly requests: number
  readonly byStatus: ReadonlyMap<number, number>
  readonly most: Readonly<Record<keyof typeof LIMITS, number>>
  readonly findings: readonly Finding[]
}

interface Plan {
  readonly seed: number
  readonly requests: number
  /** Plays only this world. */
  readonly world?: number
  /** Between the requests and the api: for a planted fault. */
  readonly wrap?: (api: FetchHandler, store: Store) => FetchHandler
}

const MOST_FINDINGS = 20

export async function play({ seed, requests, world, wrap = (api) => api }: Plan): Promise<Played> {
  const byStatus = new Map<number, number>()
  const findings: Finding[] = []
  const most: Record<keyof typeof LIMITS, number> = {
    answerBytes: 0,
    errorsListed: 0,
    objectsValidated: 0,
    storeCalls: 0,
    itemBytes: 0,
    readUnits: 0,
    writeUnits: 0,
  }
  let work = noWork()
  const current = () => work
  const stopCounting = countValidations(current)
  let played = 0
  try {
    for (let of = world ?? 0; played < requests && findings.length < MOST_FINDINGS; of++) {
      const random = seededRandom(seed + of * 7_919)
      const { api, advance, callers } = await openWorld(current, wrap)
      for (let at = 0; at < REQUESTS_OF_A_WORLD && played < requests; at++, played++) {
        const drawn = drawRequest(random, callers)
        advance(random() < 0.2 ? 0 : 2_000)
        work = noWork()
        const answer = await send(api, drawn)
        byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1)
        const cost = costOf(answer, work)
        for (const name of Object.keys(most) as (keyof typeof LIMITS)[]) {
          if (!isCollectionDeleted(drawn)) most[name] = Math.max(most[name], cost[name])
        }
        const wrong = wrongIn(drawn, answer, work, cost)
        const asked = `${drawn.method} ${drawn.path} ${JSON.stringify(drawn.call)}`.slice(0, 600)
        for (const what of wrong) findings.push({ world: of, request: at, what, asked })
      }
      if (world !== undefined) break
    }
  } finally {
    stopCounting()
  }
  return { requests: played, byStatus, most, findings }
}

async function openWorld(current: () => Work, wrap: NonNullable<Plan['wrap']>) {
  const service = await startService({
    wrap: (store) => countedStore(store, current),
    // Every watch ends as soon as it has told what there is.
    watch: (deps) => createWatchServer({ ...deps, settings: { maxTimeoutMs: 0 } }).serve,
  })
  const callers = await callersOf(service)
  for (const name of ['shop', 'a']) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    await service.call('POST', '/api/v1/namespaces', { body })
  }
  // One of each kind, so that most requests find something.
  for (const resource of resources.filter(({ verbs }) => verbs.includes('create'))) {
    const { group, plural, namespaced } = resource
    const root = group ? `/apis/${group}/v1` : '/api/v1'
    const path = namespaced ? `${root}/namespaces/default/${plural}` : `${root}/${plural}`
    const body = soundObject(resource, plural === 'pods' ? 'p' : 'a', '')
    await service.call('POST', path, { body })
  }
  const { advance } = service
  return { api: wrap(service.entry, service.store), advance, callers }
}

/** Tokens of everybody there is, good and bad; those who may write come more than once. */
async function callersOf(service: Awaited<ReturnType<typeof startService>>) {
  const people = [
    'admin',
    'operator',
    'viewer',
    'leaseUser',
    'systemLeaseUser',
    'stranger',
  ] as const
  const [a, b] = [await joinHost(service, 'a'), await joinHost(service, 'b')]
  const gone = await joinHost(service, 'gone')
  await service.call('DELETE', `${NODES}/gone`)
  const bootstrap = await service.bootstrap()
  const joining = tokenIn(await askToken(service, 'c', bootstrap, proofOf('c')))
  const canary = { user: 'leasehold:canary', groups: ['leasehold:canary'] }
  const iat = Math.floor(service.clock() / 1_000)
  const stolen = (sub: string, group: string) =>
    service.signClaims('node', { sub, groups: [group], iat, nbf: iat, exp: iat + 600, jti: 'x' })
  return [
    ...(await Promise.all(people.map((one) => service.personToken(one)))),
    ...Array<string>(16).fill(await service.personToken('admin')),
    ...Array<string>(3).fill(await service.personToken('operator')),
    ...[...Array<string>(6).fill(a.token), b.token, gone.token],
    ...[bootstrap, joining, await service.sign('node', { ...canary, lifetimeSeconds: 3_600 })],
    ...[await stolen('system:node:', 'system:nodes'), await stolen('eve', 'system:masters')],
    ...[null, 'forged.to.ken', `${a.token}x`],
  ]
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly body: { readonly reason?: string; readonly details?: { readonly causes?: unknown[] } }
}

async function send(api: FetchHandler, { method, path, call }: DrawnRequest): Promise<Answer> {
  const request = new Request(`${HOST}${path}`, init(method, call))
  try {
    const response = await api.fetch(request)
    const text = await response.text()
    const isStatus = text.startsWith('{"kind":"Status"')
    return { status: response.status, text, body: isStatus ? JSON.parse(text) : {} }
  } catch (error) {
    return { status: 599, text: `no answer: ${error}`, body: {} }
  }
}

const costOf = ({ text, body }: Answer, work: Work): Record<keyof typeof LIMITS, number> => ({
  answerBytes: Buffer.byteLength(text),
  errorsListed: body.details?.causes?.length ?? 0,
  objectsValidated: work.validated,
  storeCalls: work.calls,
  itemBytes: work.itemBytes,
  readUnits: work.readUnits,
  writeUnits: work.writeUnits,
})

function wrongIn(
  drawn: DrawnRequest,
  { status, text, body }: Answer,
  work: Work,
  cost: Record<keyof typeof LIMITS, number>,
): readonly string[] {
  const wrong: string[] = []
  // Kubernetes' answer to a version from the future.
  const isAhead = status === 504 && text.includes('Too large resource version')
  if (status >= 500 && !isAhead) wrong.push(`${status}: ${text.slice(0, 300)}`)
  const objects = isCollectionDeleted(drawn) ? 1 + work.writes.length : 1
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const limit = LIMITS[name] * (name.endsWith('Bytes') ? 1 : objects)
    if (cost[name] > limit) wrong.push(`${name} ${cost[name]} of ${limit}`)
  }
  const changes = work.writes.filter((write) => !MAY_STAY.has(write))
  const isPart = isCollectionDeleted(drawn) && status === 429
  if (status >= 400 && changes.length > 0 && !isPart) {
    wrong.push(`${status} ${body.reason}, but ${changes.join(', ')}`)
  }
  return wrong
}

/** The Event about two machines under one name, and the namespaces that every install has. */
const MAY_STAY = new Set(['createObject events', 'replaceObject events', 'createObject namespaces'])

const isCollectionDeleted = ({ method, path }: DrawnRequest) =>
  method === 'DELETE' && /^\/apis?\/.*\/(namespaces\/[^/]+\/)?[a-z]+(\?|$)/.test(path)
