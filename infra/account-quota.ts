/** How many Lambda runs at once does the account allow? Asked before anything is synthesized. */
import { setTimeout as sleep } from 'node:timers/promises'
import { endpointFor } from '../shared/store/aws/endpoint.ts'
import { signedCall } from '../shared/store/aws/signed-call.ts'
import { dynamoClient } from '../shared/store/dynamo/client.ts'
import { LEAST_QUOTA } from './concurrency.ts'

/** Concurrent executions of Lambda, by its name in Service Quotas. */
const CONCURRENT_EXECUTIONS = { ServiceCode: 'lambda', QuotaCode: 'L-B99A9384' }
/** A laptop without a network must not wait for the SDK to try every source of credentials. */
const ANSWER_MS = 5_000

interface QuotaAnswer {
  readonly Quota?: { readonly Value?: number }
}

interface AccountQuota {
  readonly concurrentRuns: number
  /** Why it is an assumption; absent when AWS said it. */
  readonly assumedBecause?: string
}

export async function readAccountQuota(
  env: NodeJS.ProcessEnv,
  region: string | undefined,
): Promise<AccountQuota> {
  try {
    const asked = ask({ ...env, ...(region && { AWS_REGION: region }) }, region)
    return { concurrentRuns: await Promise.race([asked, tooLate()]) }
  } catch (error) {
    return { concurrentRuns: LEAST_QUOTA, assumedBecause: (error as Error).message }
  }
}

async function ask(env: NodeJS.ProcessEnv, region: string | undefined): Promise<number> {
  const client = async () => dynamoClient(region ? { region } : {})
  const endpoint = await endpointFor('servicequotas', env, client)
  const call = signedCall(endpoint, { clock: Date.now })
  const { Quota } = (await call('GetServiceQuota', CONCURRENT_EXECUTIONS)) as QuotaAnswer
  if (!Quota?.Value) throw new Error('Service Quotas named no value')
  return Quota.Value
}

async function tooLate(): Promise<never> {
  await sleep(ANSWER_MS, undefined, { ref: false })
  throw new Error(`no answer within ${ANSWER_MS / 1_000} s`)
}
