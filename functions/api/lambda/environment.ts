/** The app as a Lambda runs it: everything it depends on, from the function's environment. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hono } from 'hono'
import { dynamoClient } from '../../../shared/store/dynamo/client.ts'
import { dynamoStore } from '../../../shared/store/dynamo/store.ts'
import { tableNames } from '../../../shared/store/tables.ts'
import type { LogEntry } from '../deps.ts'
import { securedApi } from '../secured-api.ts'
import { BUFFERED_RESPONSE_LIMIT_BYTES } from './buffered.ts'

export interface Environment {
  readonly ingress: 'function-url' | 'http-api'
  readonly tablePrefix: string
  /** KMS keys, by id, ARN or alias. Of the admins' only the public half is ever asked for. */
  readonly nodeKeyId: string
  readonly adminKeyId: string
  readonly dynamoEndpoint: string | undefined
}

export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const ingress = env.LEASEHOLD_INGRESS ?? 'function-url'
  if (ingress !== 'function-url' && ingress !== 'http-api') {
    throw new Error(`LEASEHOLD_INGRESS must be function-url or http-api, not ${ingress}`)
  }
  return {
    ingress,
    tablePrefix: required(env, 'LEASEHOLD_TABLE_PREFIX'),
    nodeKeyId: required(env, 'LEASEHOLD_NODE_KEY_ID'),
    adminKeyId: required(env, 'LEASEHOLD_ADMIN_KEY_ID'),
    dynamoEndpoint: env.DYNAMODB_ENDPOINT || undefined,
  }
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`the function's environment lacks ${name}`)
  return value
}

export function lambdaApi(environment: Environment): Hono {
  const { ingress, tablePrefix, nodeKeyId, adminKeyId, dynamoEndpoint } = environment
  const isBuffered = ingress === 'http-api'
  const store = dynamoStore({
    client: dynamoClient(dynamoEndpoint ? { endpoint: dynamoEndpoint } : {}),
    tables: tableNames(tablePrefix),
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => await sleep(ms),
    onPoisoned: (id) => logLine({ level: 'error', message: `cannot read item ${id}` }),
  })
  const node = { role: 'node', keyId: nodeKeyId } as const
  const admin = { role: 'admin', keyId: adminKeyId } as const
  return securedApi({
    store,
    publicKeys: async () => {
      const { client, kmsPublicJwks } = await kms()
      return await kmsPublicJwks(client, [node, admin])
    },
    nodeSigner: async () => {
      const { client, kmsSigner } = await kms()
      return await kmsSigner(client, node)
    },
    log: logLine,
    more: isBuffered ? { settings: { responseLimitBytes: BUFFERED_RESPONSE_LIMIT_BYTES } } : {},
  })
}

/** Loaded when the first token is checked: health checks and failed starts do not pay for it. */
async function kms() {
  const [{ KMSClient }, signer] = await Promise.all([
    import('@aws-sdk/client-kms'),
    import('../kms-signer.ts'),
  ])
  return { ...signer, client: new KMSClient() }
}

/** One JSON object per line, as CloudWatch reads it. */
export function logLine({ error, ...entry }: LogEntry): void {
  const { name, message, stack } = error instanceof Error ? error : { message: error }
  const said = error === undefined ? {} : { error: { name, message, stack } }
  console.log(JSON.stringify({ ...entry, ...said }))
}
