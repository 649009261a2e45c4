/** One client: calls after calls, each written down with its times and what came of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatMicroTime } from '../../shared/kube/time.ts'
import type { HttpsClient } from '../local-system/https-client.ts'
import type { Rng } from '../simulation/rng.ts'
import { isAnswered } from './availability.ts'
import type { Call, Entry, Kind, Seen } from './history.ts'
import { leaseWorkload } from './lease-calls.ts'
import { nodeWorkload } from './node-calls.ts'
import { readAnswer, type Workload } from './workload.ts'

/** Longer than the api tries for; then the client is gone and its call is unknown. */
const CALL_MS = 12_000
const THINK_MS = 40
/** Nothing listens: asked again soon, so that the end of an outage is seen to a few milliseconds. */
const REFUSED_CONNECTION_MS = 25
/** A holder that falls silent for this long loses its lease: without that none would be taken over. */
const SILENT_MS = 2_400
const SILENT_SHARE = 0.02

export interface Target {
  readonly key: string
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
}

export interface Recorder {
  readonly entries: Entry[]
  nowUs(): number
  nextId(): number
  /** When the last call that was answered had been made. */
  answeredUs: number
  /** Calls that reached no server, and therefore did nothing. */
  unsent: number
}

export interface Client {
  readonly number: number
  readonly http: HttpsClient
  readonly rng: Rng
  readonly recorder: Recorder
}

const workloadOf = (kind: Kind): Workload => (kind === 'node' ? nodeWorkload : leaseWorkload)

/** Works on what `targets` names at each moment, until it names nothing. */
export async function work(client: Client, targets: () => readonly Target[]): Promise<void> {
  const known = new Map<string, Seen | 'missing'>()
  for (let now = targets(); now.length > 0; now = targets()) {
    const target = client.rng.pick(now)
    const id = client.recorder.nextId()
    const me = `client-${client.number}`
    const before = known.get(target.key)
    const call = workloadOf(target.kind).choose(client.rng, me, tokenOf(id), before)
    const entry = await perform(client, target, id, call)
    const next = entry && knowledgeAfter(entry)
    if (next) known.set(target.key, next)
    else known.delete(target.key)
    const isSilent = entry?.seen?.holder === me && client.rng.chance(SILENT_SHARE)
    const pauseMs = isSilent ? SILENT_MS : client.rng.between(0, THINK_MS)
    await sleep(entry ? pauseMs : REFUSED_CONNECTION_MS)
  }
}

/** No two calls share one, and it is a time, because the `renewTime` of a lease has to be one. */
const tokenOf = (id: number) => formatMicroTime(Date.UTC(2020, 0, 1) * 1_000 + id)

/** Undefined when the server was not reached. */
export async function perform(
  { number, http, recorder }: Client,
  { key, kind, namespace, name }: Target,
  id: number,
  call: Call,
): Promise<Entry | undefined> {
  const workload = workloadOf(kind)
  const { method, path, body, type } = workload.send(namespace, name, call)
  const signal = AbortSignal.timeout(CALL_MS)
  const invokedUs = recorder.nowUs()
  const answer = await http.call(method, path, { body, type, signal }).catch(failure)
  if (answer === 'unsent') {
    recorder.unsent += 1
    return undefined
  }
  const returnedUs = recorder.nowUs()
  const result =
    answer === 'lost' ? { outcome: 'unknown' as const } : readAnswer(workload, call, answer)
  const entry = { id, key, kind, client: number, invokedUs, returnedUs, call, ...result }
  recorder.entries.push(entry)
  if (isAnswered(entry)) recorder.answeredUs = Math.max(recorder.answeredUs, invokedUs)
  return entry
}

function failure(error: NodeJS.ErrnoException): 'unsent' | 'lost' {
  return error.code === 'ECONNREFUSED' ? 'unsent' : 'lost'
}

/** What the client may base its next call on. */
function knowledgeAfter({ outcome, why, seen, call }: Entry): Seen | 'missing' | undefined {
  if (outcome === 'ok') return call.do === 'delete' ? 'missing' : seen
  return why === 'missing' ? 'missing' : undefined
}
