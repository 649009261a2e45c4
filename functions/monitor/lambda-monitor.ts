/** The monitor as a Lambda runs it: everything it depends on, from the function's environment. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { kmsCall, kmsSigner, parseKmsKeys } from '../../shared/auth/tokens/kms-signer.ts'
import { settingsIn } from '../../shared/lifecycle/settings.ts'
import { endpointFor } from '../../shared/store/aws/endpoint.ts'
import { lambdaLog } from '../../shared/store/aws/lambda-log.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { canaryTokens, createCanary } from './canary.ts'
import type { MonitorDeps } from './deps.ts'
import { features } from './features.ts'
import { interruptibleSleep } from './sleep.ts'

export async function lambdaDeps(env: NodeJS.ProcessEnv): Promise<MonitorDeps> {
  const settings = settingsIn(env)
  const endpoint = env.DYNAMODB_ENDPOINT
  const client = dynamoClient(endpoint ? { endpoint } : {})
  const store = dynamoStore({
    client,
    tables: tableNames(required(env, 'LEASEHOLD_TABLE_PREFIX')),
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => await wait(ms),
    onPoisoned: (id) => lambdaLog({ level: 'error', message: `cannot read item ${id}` }),
  })
  let ofFeatures: Partial<MonitorDeps> = {}
  for (const { lambdaDeps } of features) {
    ofFeatures = { ...ofFeatures, ...(await lambdaDeps?.(env, settings)) }
  }
  return {
    ...ofFeatures,
    store,
    settings,
    clock: Date.now,
    sleep: interruptibleSleep,
    random: Math.random,
    uuid: randomUUID,
    log: lambdaLog,
    canary: canaryOf(env, async () => client),
    // Not console.log, which Lambda wraps in JSON of its own; CloudWatch would not find the metric.
    emf: {
      stage: required(env, 'LEASEHOLD_STAGE'),
      write: (line) => void process.stdout.write(`${line}\n`),
    },
  }
}

/** Signed by the node key, which is accepted for tokens of hosts and of the canary only. */
function canaryOf(env: NodeJS.ProcessEnv, client: () => Promise<DynamoDBClient>) {
  const [key] = parseKmsKeys('node', required(env, 'LEASEHOLD_NODE_KEY_ID'))
  const waiting = { clock: Date.now, random: Math.random, sleep: interruptibleSleep }
  const signer = async () =>
    await kmsSigner(kmsCall(await endpointFor('kms', env, client), waiting), key)
  return createCanary({
    server: required(env, 'LEASEHOLD_API_URL'),
    fetch,
    token: canaryTokens(signer),
  })
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`the function's environment lacks ${name}`)
  return value
}
