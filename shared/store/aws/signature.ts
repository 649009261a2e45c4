/** Signature Version 4 for the one kind of request we make: POST / with a JSON body. */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface Unsigned {
  readonly host: string
  readonly contentType: string
  readonly target: string
  readonly body: string
  readonly nowMs: number
}

export type Sign = (request: Unsigned, credentials: Credentials) => Record<string, string>

/**
 * The key depends on the day and the secret alone, so it is derived once and kept, in the form that
 * Node takes without looking at it again: bytes would cost more than the signature itself.
 */
export function signer(service: string, region: string): Sign {
  let kept: { readonly of: string; readonly key: KeyObject } | undefined

  const keyFor = (secret: string, day: string) => {
    const of = `${secret}/${day}`
    if (kept?.of !== of) kept = { of, key: derivedKey(secret, [day, region, service]) }
    return kept.key
  }

  return ({ host, contentType, target, body, nowMs }, credentials) => {
    const date = new Date(nowMs).toISOString().replace(/-|:|\.\d+/g, '')
    const day = date.slice(0, 8)
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    // In the order of their names, as the signature wants them.
    const signed: Record<string, string> = {
      'content-type': contentType,
      host,
      'x-amz-date': date,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
      'x-amz-target': target,
    }
    const names = Object.keys(signed)
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
    const canonical = `POST\n/\n\n${lines}\n${names.join(';')}\n${hash('sha256', body)}`
    const scope = `${day}/${region}/${service}/aws4_request`
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', canonical)}`
    const signature = hmac(keyFor(secretAccessKey, day), toSign).toString('hex')
    signed.authorization =
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, ` +
      `SignedHeaders=${names.join(';')}, Signature=${signature}`
    return signed
  }
}

const hmac = (key: Buffer | KeyObject, text: string) =>
  createHmac('sha256', key).update(text).digest()

const derivedKey = (secret: string, parts: readonly string[]): KeyObject =>
  createSecretKey([...parts, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`)))
