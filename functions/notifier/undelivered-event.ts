/**
 * What could not be delivered, whole, with the reason: enough to deliver it later without any
 * table.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'
import type { StreamRecord } from '../../shared/store/stream-record.ts'

export type UndeliveredEvent =
  | { readonly why: string; readonly event: DomainEvent }
  /** It could not even be read; another version may. */
  | { readonly why: string; readonly record: StreamRecord }

/** Where undelivered events are kept. */
export interface DeadLetterSink {
  send(undelivered: UndeliveredEvent): Promise<void>
}

/**
 * Both images of the largest object are 800 KB, a message may have 1 MiB; most are far from either.
 */
const PACK_FROM_BYTES = 200 * 1024

export function encodeUndelivered(undelivered: UndeliveredEvent): string {
  const text = JSON.stringify(undelivered)
  if (Buffer.byteLength(text) < PACK_FROM_BYTES) return text
  return JSON.stringify({ gzip: gzipSync(text).toString('base64') })
}

/** Undefined when the notifier did not write the text. */
export function decodeUndelivered(text: string): UndeliveredEvent | undefined {
  try {
    const read = JSON.parse(text) as UndeliveredEvent | { readonly gzip: string }
    if (!('gzip' in read)) return read
    return JSON.parse(gunzipSync(Buffer.from(read.gzip, 'base64')).toString()) as UndeliveredEvent
  } catch {
    return undefined
  }
}

/** Local mode has no queue: each is printed whole. */
export function printedDeadLetters(print: (line: string) => void): DeadLetterSink {
  return {
    async send(undelivered) {
      print(`could not be delivered: ${JSON.stringify(undelivered)}`)
    },
  }
}
