/**
 * The bus in AWS. Ten events a call, each judged by itself; what the call as a whole says is never
 * final.
 */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'
import { type Bus, delivered, type Verdict } from './bus.ts'

const MAX_ENTRIES = 10
/** Of one call, all its entries together. */
export const MAX_CALL_BYTES = 256 * 1024
/** What EventBridge counts for an entry's time. */
const TIME_BYTES = 14
const CALL_MS = 3_000

/** What is wrong with the entry itself. All else may pass, if only when somebody mends a policy. */
const FINAL = new Set(['InvalidArgument', 'MalformedDetail', 'RedactionFailure'])

interface Entry {
  readonly EventBusName: string
  readonly Source: string
  readonly DetailType: string
  readonly Time: Date
  readonly Detail: string
}

interface Parcel {
  readonly entries: readonly Entry[]
  /** Where each entry's event was in what was asked. */
  readonly places: readonly number[]
  readonly bytes: number
}

/** With its own retries off: the notifier's retry only what failed. */
export function eventBridge(client: EventBridgeClient, eventBusName: string): Bus {
  return {
    async publish(events) {
      const entries = events.map((event) => entryOf(event, eventBusName))
      const verdicts = entries.map(tooLarge)
      const parcels = pack(entries, (at) => verdicts[at] === undefined)
      await Promise.all(
        parcels.map(async ({ entries, places }) => {
          const answers = await put(client, entries)
          for (const [index, place] of places.entries()) verdicts[place] = answers[index]
        }),
      )
      return verdicts.map((verdict) => verdict ?? { kind: 'again', why: 'the bus did not say' })
    },
  }
}

async function put(
  client: EventBridgeClient,
  entries: readonly Entry[],
): Promise<readonly Verdict[]> {
  try {
    const command = new PutEventsCommand({ Entries: [...entries] })
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_MS) })
    return (answer.Entries ?? []).map(verdictOf)
  } catch (error) {
    // Network, throttling, a missing permission: all of it heals or is mended, and the stream
    // waits.
    return entries.map(() => ({ kind: 'again', why: String(error) }))
  }
}

function verdictOf(entry: {
  readonly ErrorCode?: string
  readonly ErrorMessage?: string
}): Verdict {
  const { ErrorCode: code, ErrorMessage: message = '' } = entry
  if (!code) return delivered
  return { kind: FINAL.has(code) ? 'refused' : 'again', why: `${code} ${message}`.trim() }
}

function entryOf(event: DomainEvent, EventBusName: string): Entry {
  return {
    EventBusName,
    Source: event.source,
    DetailType: event['detail-type'],
    Time: new Date(event.time),
    Detail: JSON.stringify(event.detail),
  }
}

const bytesOf = ({ Source, DetailType, Detail }: Entry) =>
  TIME_BYTES + Buffer.byteLength(Source) + Buffer.byteLength(DetailType) + Buffer.byteLength(Detail)

function tooLarge(entry: Entry): Verdict | undefined {
  const bytes = bytesOf(entry)
  if (bytes <= MAX_CALL_BYTES) return undefined
  return { kind: 'refused', why: `${bytes} bytes are more than the bus takes` }
}

function pack(entries: readonly Entry[], fits: (at: number) => boolean): readonly Parcel[] {
  const parcels: Parcel[] = []
  for (const [at, entry] of entries.entries()) {
    if (!fits(at)) continue
    const bytes = bytesOf(entry)
    const last = parcels.at(-1)
    const full = !last || last.places.length === MAX_ENTRIES || last.bytes + bytes > MAX_CALL_BYTES
    if (full) parcels.push({ entries: [entry], places: [at], bytes })
    else
      parcels[parcels.length - 1] = {
        entries: [...last.entries, entry],
        places: [...last.places, at],
        bytes: last.bytes + bytes,
      }
  }
  return parcels
}
