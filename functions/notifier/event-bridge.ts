/**
 * The bus in AWS. Ten events a call, each with its own result; an error of the call as a whole is
 * never final.
 */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'
import { delivered, type EventBus, type PublishResult } from './bus.ts'

const MAX_ENTRIES = 10
/** Of one call, all its entries together. */
export const MAX_CALL_BYTES = 256 * 1024
/** What EventBridge counts for an entry's time. */
const TIME_BYTES = 14
const CALL_MS = 3_000

/** The entry itself is wrong. Any other error may pass, if only when an operator mends a policy. */
const FINAL = new Set(['InvalidArgument', 'MalformedDetail', 'RedactionFailure'])

interface Entry {
  readonly EventBusName: string
  readonly Source: string
  readonly DetailType: string
  readonly Time: Date
  readonly Detail: string
}

/** Each entry with the place of its event in what was asked. */
type Call = (readonly [place: number, entry: Entry])[]

/** The client's own retries are off: the notifier retries, and only what failed. */
export function eventBridge(client: EventBridgeClient, eventBusName: string): EventBus {
  return {
    async publish(events) {
      const entries = events.map((event) => entryOf(event, eventBusName))
      const results = entries.map(tooLarge)
      const fitting = [...entries.entries()].filter(([place]) => results[place] === undefined)
      await Promise.all(
        pack(fitting).map(async (call) => {
          const answers = await put(
            client,
            call.map(([, entry]) => entry),
          )
          for (const [at, [place]] of call.entries()) results[place] = answers[at]
        }),
      )
      return results.map((result) => result ?? { kind: 'again', why: 'the bus did not say' })
    },
  }
}

async function put(
  client: EventBridgeClient,
  entries: readonly Entry[],
): Promise<readonly PublishResult[]> {
  try {
    const command = new PutEventsCommand({ Entries: [...entries] })
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_MS) })
    return (answer.Entries ?? []).map(resultOf)
  } catch (error) {
    // Network, throttling, a missing permission: all of it passes or is mended, and the stream
    // waits.
    return entries.map(() => ({ kind: 'again', why: String(error) }))
  }
}

function resultOf(entry: {
  readonly ErrorCode?: string
  readonly ErrorMessage?: string
}): PublishResult {
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

function tooLarge(entry: Entry): PublishResult | undefined {
  const bytes = bytesOf(entry)
  if (bytes <= MAX_CALL_BYTES) return undefined
  return { kind: 'refused', why: `${bytes} bytes are more than the bus takes` }
}

function pack(entries: Readonly<Call>): readonly Call[] {
  const calls: Call[] = []
  let bytes = 0
  for (const [place, entry] of entries) {
    bytes += bytesOf(entry)
    const last = calls.at(-1)
    if (last && last.length < MAX_ENTRIES && bytes <= MAX_CALL_BYTES) last.push([place, entry])
    else {
      calls.push([[place, entry]])
      bytes = bytesOf(entry)
    }
  }
  return calls
}
