/** What the workloads have in common: which call comes next, how it is sent, what its answer says. */
import type { Answered, Sent } from '../local-system/https-client.ts'
import type { Rng } from '../simulation/rng.ts'
import type { Call, Entry, Outcome, Refusal, Seen } from './history.ts'

export interface HttpCall {
  readonly method: string
  readonly path: string
  readonly body?: Sent['body']
  readonly type?: string
}

export interface Workload {
  /** `known` is what the client last learned of the object; undefined when that may be out of date. */
  choose(rng: Rng, me: string, token: string, known: Seen | 'missing' | undefined): Call
  send(place: string, name: string, call: Call): HttpCall
  /** The object in the body of an answer. */
  seenIn(body: Answered['body']): Seen
}

/** An answer as the history keeps it. */
export function readAnswer(
  { seenIn }: Workload,
  call: Call,
  { status, body }: Answered,
): Pick<Entry, 'outcome' | 'status' | 'why' | 'seen'> {
  const outcome = outcomeOf(status)
  if (outcome === 'refused') return { outcome, status, why: refusalOf(status, body) }
  // A deletion is answered with a Status, not with the object.
  if (outcome === 'unknown' || call.do === 'delete') return { outcome, status }
  return { outcome, status, seen: seenIn(body) }
}

/** 429 promises that the service did nothing, as every other refusal below 500 does. */
function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'ok'
  return status >= 400 && status < 500 ? 'refused' : 'unknown'
}

/** In the order in which they are looked for. */
const MESSAGES: readonly (readonly [RegExp, Refusal])[] = [
  [/the lease is held by/, 'held'],
  [/ResourceVersion in precondition/, 'version'],
  [/UID in precondition/, 'uid'],
  [/already exists/, 'exists'],
  [/has been modified/, 'modified'],
]

function refusalOf(status: number, body: Answered['body']): Refusal {
  if (status === 404) return 'missing'
  if (status === 422) return 'invalid'
  if (status === 429) return 'busy'
  if (status !== 409) return 'other'
  const message = String(body?.message ?? '')
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? 'other'
}
