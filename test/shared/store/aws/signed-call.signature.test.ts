import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, it } from 'vitest'
import type { AwsCredentials } from '../../../../shared/store/aws/endpoint.ts'
import { signer } from '../../../../shared/store/aws/signed-call.ts'

const plain = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
const request = {
  host: 'dynamodb.eu-central-1.amazonaws.com',
  contentType: 'application/x-amz-json-1.0',
  target: 'DynamoDB_20120810.UpdateItem',
  body: '{"TableName":"leases","Key":{"k":{"S":"kube-node-lease/hôst"}}}',
  nowMs: Date.UTC(2026, 1, 3, 4, 5, 6, 789),
}

describe('our signature', () => {
  it.each([
    { when: 'credentials are long-lived', credentials: plain },
    { when: 'they belong to a session', credentials: { ...plain, sessionToken: 'token==' } },
  ])("is the SDK's own when $when", async ({ credentials }) => {
    const ours = signer('dynamodb', 'eu-central-1')(request, credentials)
    expect(ours.authorization).toBe(await theirs(credentials))
    expect(ours['x-amz-date']).toBe('20260203T040506Z')
    expect(ours['x-amz-security-token']).toBe(
      'sessionToken' in credentials ? credentials.sessionToken : undefined,
    )
  })

  it('follows the day and the credentials', () => {
    const sign = signer('dynamodb', 'eu-central-1')
    const fresh = (change: object, credentials: AwsCredentials) =>
      signer('dynamodb', 'eu-central-1')({ ...request, ...change }, credentials)
    for (const [change, credentials] of [
      [{}, plain],
      [{ nowMs: request.nowMs + 86_400_000 }, plain],
      [{}, { ...plain, secretAccessKey: 'another' }],
      [{}, plain],
    ] as const)
      expect(sign({ ...request, ...change }, credentials)).toEqual(fresh(change, credentials))
  })
})

async function theirs(credentials: AwsCredentials): Promise<string | undefined> {
  const sdk = new SignatureV4({
    service: 'dynamodb',
    region: 'eu-central-1',
    credentials,
    sha256: Sha256,
    applyChecksum: false,
  })
  const signed = await sdk.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: request.host,
      path: '/',
      headers: {
        'content-type': request.contentType,
        host: request.host,
        'x-amz-target': request.target,
      },
      body: request.body,
    },
    { signingDate: new Date(request.nowMs) },
  )
  return signed.headers.authorization
}

class Sha256 {
  private readonly inner: Hash | Hmac

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = secret as string | NodeJS.ArrayBufferView
    this.inner = secret === undefined ? createHash('sha256') : createHmac('sha256', key)
  }

  update(chunk: Uint8Array): void {
    this.inner.update(chunk)
  }

  async digest(): Promise<Uint8Array> {
    return this.inner.digest()
  }

  reset(): void {
    throw new Error('the signer makes a new one each time')
  }
}
