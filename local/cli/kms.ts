/** KMS as the person at this terminal may use it: by environment, profile or role. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type KmsKey, kmsCall, kmsSigner } from '../../shared/auth/kms-signer.ts'
import type { Signer } from '../../shared/auth/signer.ts'
import { siteFor } from '../../shared/store/aws/site.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'

export async function openKmsSigner(key: KmsKey): Promise<Signer> {
  // The client only finds region and credentials; it is never asked for a table.
  const site = await siteFor('kms', process.env, async () => dynamoClient())
  const kms = kmsCall(site, {
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => await sleep(ms),
  })
  return await kmsSigner(kms, key)
}
