/**
 * KMS with the credentials of this terminal: environment, profile or role. A file of its own because
 * it is loaded on demand: kubectl waits for `credential` at every command.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type KmsKey, kmsCall, kmsSigner } from '../../shared/auth/tokens/kms-signer.ts'
import type { Signer } from '../../shared/auth/tokens/signer.ts'
import { endpointFor } from '../../shared/store/aws/endpoint.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'

export async function openKmsSigner(key: KmsKey): Promise<Signer> {
  // The client only finds region and credentials; it is never asked for a table.
  const site = await endpointFor('kms', process.env, async () => dynamoClient())
  const kms = kmsCall(site, {
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => await sleep(ms),
  })
  return await kmsSigner(kms, key)
}
