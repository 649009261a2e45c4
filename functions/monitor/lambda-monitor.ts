/** The monitor as a Lambda runs it: everything it depends on, from the function's environment. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { kmsCall, kmsKeysIn, kmsSigner } from '../../shared/auth/kms-signer.ts'
import type { CloudInstances } from '../../shared/lifecycle/cloud.ts'
import { settingsIn } from '../../shared/lifecycle/settings.ts'
import { siteFor } from '../../shared/store/aws/site.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { canaryTokens, createCanary } from './canary.ts'
import type { MonitorDeps, MonitorLog } from './deps.ts'
import { patient } from './patient.ts'

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
    onPoisoned: (id) => logLine({ level: 'error', message: `cannot read item ${id}` }),
  })
  const instances = settings.cloudProvider === 'aws' && (await ec2(required(env, 'AWS_REGION')))
  return {
    store,
    settings,
    clock: Date.now,
    sleep: patient,
    random: Math.random,
    uuid: randomUUID,
    log: logLine,
    canary: canaryOf(env, async () => client),
    // Not console.log, which Lambda wraps in JSON of its own; CloudWatch would not find the metric.
    emf: {
      stage: required(env, 'LEASEHOLD_STAGE'),
      write: (line) => void process.stdout.write(`${line}\n`),
    },
    ...(instances && { instances }),
  }
}

/** Signed by the node key, which may say nothing else of users. */
function canaryOf(env: NodeJS.ProcessEnv, client: () => Promise<DynamoDBClient>) {
  const [key] = kmsKeysIn('node', required(env, 'LEASEHOLD_NODE_KEY_ID'))
  const waiting = { clock: Date.now, random: Math.random, sleep: patient }
  const signer = async () =>
    await kmsSigner(kmsCall(await siteFor('kms', env, client), waiting), key)
  return createCanary({
    server: required(env, 'LEASEHOLD_API_URL'),
    fetch,
    token: canaryTokens(signer),
  })
}

/** Loaded only where the cloud check is on. */
async function ec2(region: string): Promise<CloudInstances> {
  const [{ EC2Client }, { ec2Instances }] = await Promise.all([
    import('@aws-sdk/client-ec2'),
    import('./ec2-instances.ts'),
  ])
  return ec2Instances(new EC2Client({ region }), region)
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`the function's environment lacks ${name}`)
  return value
}

/** One JSON object per line, as CloudWatch reads it. */
function logLine({ error, ...entry }: MonitorLog): void {
  const { name, message, stack } = error instanceof Error ? error : { message: error }
  const said = error === undefined ? {} : { error: { name, message, stack } }
  console.log(JSON.stringify({ ...entry, ...said }))
}
