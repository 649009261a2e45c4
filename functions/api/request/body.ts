/** Reads a body of bounded size. */
import { tooLarge } from '../../../shared/kube/status-error.ts'
import type { Incoming } from './incoming.ts'

const EMPTY = new Uint8Array(0)

export async function readBody(request: Incoming, limitBytes: number): Promise<Uint8Array> {
  const header = request.headers.get('content-length')
  const announced = header === null ? Number.NaN : Number(header)
  if (announced > limitBytes) throw tooBig(limitBytes)
  if ('content' in request) return bounded(request.content, limitBytes)
  // An HTTP server holds a client to the length it announced, so the quick way is safe here.
  if (announced >= 0) return bounded(new Uint8Array(await request.arrayBuffer()), limitBytes)
  if (!request.body) return EMPTY
  return await readBounded(request.body, limitBytes)
}

function bounded(bytes: Uint8Array, limitBytes: number): Uint8Array {
  if (bytes.length > limitBytes) throw tooBig(limitBytes)
  return bytes
}

async function readBounded(body: ReadableStream<Uint8Array>, limitBytes: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limitBytes) throw tooBig(limitBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

const tooBig = (limitBytes: number) =>
  tooLarge(`Request entity too large: limit is ${limitBytes} bytes`)
