/**
 * What could not be delivered, whole, with the reason: enough to deliver it later without any
 * table.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { DomainEvent } from '../../shared/lifecycle/announce/domain-event.ts'
import type { StreamRecord } from '../../shared/store/stream-record.ts'

export type Letter =
  | { readonly why: string; readonly event: DomainEvent }
  /** It could not even be read; another version may. */
  | { readonly why: string; readonly record: StreamRecord }

/** Where letters are kept. */
export interface DeadLetters {
  park(letter: Letter): Promise<void>
}

/**
 * Both images of the largest object are 800 KB, a message may have 1 MiB; most are far from either.
 */
const PACK_FROM_BYTES = 200 * 1024

export function letterText(letter: Letter): string {
  const text = JSON.stringify(letter)
  if (Buffer.byteLength(text) < PACK_FROM_BYTES) return text
  return JSON.stringify({ gzip: gzipSync(text).toString('base64') })
}

export function letterFrom(text: string): Letter {
  const read = JSON.parse(text) as Letter | { readonly gzip: string }
  if (!('gzip' in read)) return read
  return JSON.parse(gunzipSync(Buffer.from(read.gzip, 'base64')).toString()) as Letter
}

/** Local mode: nobody keeps them, so they are shown whole. */
export function printedLetters(tell: (line: string) => void): DeadLetters {
  return {
    async park(letter) {
      tell(`could not be delivered: ${JSON.stringify(letter)}`)
    },
  }
}
