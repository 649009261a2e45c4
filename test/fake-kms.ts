/** The calls of KMS that we use, on loopback. Every key id has its own key, created on first use. */
import { generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeKms {
  readonly url: URL
  /** The next requests fail. */
  fail(times: number): void
  close(): void
}

type Input = Readonly<Record<string, string>>

export async function startKms(): Promise<FakeKms> {
  let failures = 0
  const keys = new Map<string, KeyPairKeyObjectResult>()
  const keyOf = (id = '') => {
    const key = keys.get(id) ?? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    keys.set(id, key)
    return key
  }
  const answers: Readonly<Record<string, (input: Input) => object>> = {
    'TrentService.GetPublicKey': ({ KeyId }) => ({
      KeySpec: KeyId === 'rsa' ? 'RSA_2048' : 'ECC_NIST_P256',
      PublicKey: keyOf(KeyId).publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    }),
    'TrentService.Sign': ({ KeyId, Message = '' }) => {
      const bytes = Buffer.from(Message, 'base64')
      return { Signature: sign('sha256', bytes, keyOf(KeyId).privateKey).toString('base64') }
    },
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.setHeader('content-type', 'application/x-amz-json-1.1')
    if (failures > 0) {
      failures -= 1
      response.statusCode = 500
      return response.end('{"__type":"KMSInternalException"}')
    }
    const answer = answers[String(request.headers['x-amz-target'])]
    response.end(JSON.stringify(answer?.(JSON.parse(body)) ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    fail: (times) => {
      failures = times
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
