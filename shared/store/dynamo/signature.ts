/** Signature Version 4 for DynamoDB's one kind of request: POST / with a JSON body. */
import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface Unsigned {
  readonly host: string
  readonly target: string
  readonly body: string
  readonly nowMs: number
}

export type Sign = (request: Unsigned, credentials: Credentials) => Record<string, string>

const contentType = 'application/x-amz-json-1.0'

/** The key depends on the day and the secret alone, so it is derived once and kept. */
export function signer(region: string): Sign {
  const scopeOf = (day: string) => `${day}/${region}/dynamodb/aws4_request`
  let kept: { readonly of: string; readonly key: Buffer } | undefined

  const keyFor = (secret: string, day: string) => {
    const of = `${secret}/${day}`
    if (kept?.of !== of) kept = { of, key: derivedKey(secret, day, region) }
    return kept.key
  }

  return ({ host, target, body, nowMs }, credentials) => {
    const date = new Date(nowMs).toISOString().replace(/-|:|\.\d+/g, '')
    const day = date.slice(0, 8)
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    const signed = {
      host,
      'x-amz-date': date,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
      'x-amz-target': target,
    }
    const names = Object.keys(signed).join(';')
    const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`)
    const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`
    const scope = scopeOf(day)
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`
    const signature = hmac(keyFor(secretAccessKey, day), toSign).toString('hex')
    const parts = [
      `Credential=${accessKeyId}/${scope}`,
      `SignedHeaders=${names}`,
      `Signature=${signature}`,
    ]
    return {
      ...signed,
      'content-type': contentType,
      authorization: `AWS4-HMAC-SHA256 ${parts.join(', ')}`,
    }
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

function derivedKey(secret: string, day: string, region: string): Buffer {
  const parts = [day, region, 'dynamodb', 'aws4_request']
  return parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`))
}
