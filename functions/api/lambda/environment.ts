/** The app as a Lambda runs it: everything it depends on, from the function's environment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { kmsCall, kmsKeysIn, kmsPublicKeys, kmsSigner } from '../../../shared/auth/kms-signer.ts'
import { beatRhythm } from '../../../shared/lifecycle/beat-rhythm.ts'
import { settingsIn, tolerationDefaults } from '../../../shared/lifecycle/settings.ts'
import { siteFor, type Environment as Variables } from '../../../shared/store/aws/site.ts'
import { dynamoStore } from '../../../shared/store/dynamo/store.ts'
import { lazily } from '../../../shared/store/lazily.ts'
import { tableNames } from '../../../shared/store/tables.ts'
import type { LogEntry } from '../deps.ts'
import { createDistress } from '../distress.ts'
import type { Front } from '../front.ts'
import { securedApi } from '../secured-api.ts'
import { BUFFERED_RESPONSE_LIMIT_BYTES } from './buffered.ts'

export interface Environment {
  readonly ingress: 'function-url' | 'http-api'
  readonly tablePrefix: string
  /**
   * KMS keys, by id, ARN or alias: with commas, the one that signs and those still believed. Of the
   * admins' only the public half is ever asked for.
   */
  readonly nodeKeyIds: string
  readonly adminKeyIds: string
  /** Watches open at once, over all processes. */
  readonly maxWatches: number
  /** Everything, for what AWS's own tools find there: region, credentials, endpoints. */
  readonly variables: Variables
}

export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const ingress = env.LEASEHOLD_INGRESS ?? 'function-url'
  if (ingress !== 'function-url' && ingress !== 'http-api') {
    throw new Error(`LEASEHOLD_INGRESS must be function-url or http-api, not ${ingress}`)
  }
  return {
    ingress,
    tablePrefix: required(env, 'LEASEHOLD_TABLE_PREFIX'),
    nodeKeyIds: required(env, 'LEASEHOLD_NODE_KEY_ID'),
    adminKeyIds: required(env, 'LEASEHOLD_ADMIN_KEY_ID'),
    maxWatches: watchesIn(env.LEASEHOLD_MAX_WATCHES),
    variables: env,
  }
}

function watchesIn(text = '50'): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 0) return count
  throw new Error(`LEASEHOLD_MAX_WATCHES must be a whole number, not ${text}`)
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`the function's environment lacks ${name}`)
  return value
}

export function lambdaApi(environment: Environment): Front {
  const { ingress, tablePrefix, nodeKeyIds, adminKeyIds, maxWatches, variables } = environment
  const isBuffered = ingress === 'http-api'
  const client = lazily(() => loadClient(variables.DYNAMODB_ENDPOINT))
  const patience = {
    clock: Date.now,
    random: Math.random,
    sleep: async (ms: number) => await sleep(ms),
  }
  const store = dynamoStore({
    ...patience,
    client,
    site: () => siteFor('dynamodb', variables, client),
    tables: tableNames(tablePrefix),
    onPoisoned: (id) => logLine({ level: 'error', message: `cannot read item ${id}` }),
  })
  const kms = lazily(async () => kmsCall(await siteFor('kms', variables, client), patience))
  const nodeKeys = kmsKeysIn('node', nodeKeyIds)
  const adminKeys = kmsKeysIn('admin', adminKeyIds)
  const settings = settingsIn(variables)
  const distress = createDistress({ store, clock: Date.now, onTrouble })
  let saying: Promise<void> | undefined
  const front = securedApi({
    store,
    publicKeys: kmsPublicKeys(kms, [...nodeKeys, ...adminKeys]),
    nodeSigner: async () => await kmsSigner(await kms(), nodeKeys[0]),
    log: logLine,
    more: {
      onOwnFailure: () => {
        saying = distress()
      },
      beatRhythm: (ownGraceMs) => beatRhythm(settings, ownGraceMs),
      settings: {
        tolerations: tolerationDefaults(settings),
        ...(isBuffered && { responseLimitBytes: BUFFERED_RESPONSE_LIMIT_BYTES }),
      },
    },
    loadMore: async () => {
      const { moreOf } = await import('./more.ts')
      return moreOf({ store, log: logLine, maxWatches, isBuffered })
    },
  })
  return { ...front, settled: async () => await soon(saying) }
}

/** When the tables are out of reach altogether, waiting would only occupy more of Lambda. */
const SOON_MS = 500

const soon = async (work: Promise<void> | undefined) =>
  work && (await Promise.race([work, sleep(SOON_MS)]))

const onTrouble = (what: string, error: unknown) =>
  logLine({ level: 'warn', message: `could not ${what}`, error })

/** The SDK is half of what there is to load, and no beat needs it. */
async function loadClient(endpoint: string | undefined) {
  const { dynamoClient } = await import('../../../shared/store/dynamo/client.ts')
  return dynamoClient(endpoint ? { endpoint } : {})
}

/** One JSON object per line, as CloudWatch reads it. */
export function logLine({ error, ...entry }: LogEntry): void {
  const { name, message, stack } = error instanceof Error ? error : { message: error }
  const said = error === undefined ? {} : { error: { name, message, stack } }
  console.log(JSON.stringify({ ...entry, ...said }))
}
