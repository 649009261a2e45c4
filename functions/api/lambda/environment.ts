/** The api as a Lambda runs it: everything it depends on, from the function's environment. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  kmsCall,
  kmsPublicKeys,
  kmsSigner,
  parseKmsKeys,
} from '../../../shared/auth/tokens/kms-signer.ts'
import { settingsIn, tolerationDefaults } from '../../../shared/lifecycle/settings.ts'
import { endpointFor, type Environment as Variables } from '../../../shared/store/aws/endpoint.ts'
import { lambdaLog } from '../../../shared/store/aws/lambda-log.ts'
import { dynamoStore } from '../../../shared/store/dynamo/store.ts'
import { lazily } from '../../../shared/store/lazily.ts'
import { tableNames } from '../../../shared/store/tables.ts'
import { createSecuredEntry, type Entry } from '../entry.ts'
import { refusedBeatReporter } from '../refused-beats.ts'
import { BUFFERED_RESPONSE_LIMIT_BYTES } from './http-event.ts'

interface Environment {
  readonly ingress: 'function-url' | 'http-api'
  readonly tablePrefix: string
  /**
   * KMS keys by id, ARN or alias, separated by commas: the one that signs, then those still
   * trusted. Of the admin keys only the public half is ever read.
   */
  readonly nodeKeyIds: string
  readonly adminKeyIds: string
  /** Watches open at once, over all processes. */
  readonly maxWatches: number
  /** All variables, for what AWS's libraries look up: region, credentials, endpoints. */
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

export function lambdaApi(environment: Environment): Entry {
  const { ingress, tablePrefix, nodeKeyIds, adminKeyIds, maxWatches, variables } = environment
  const isBuffered = ingress === 'http-api'
  const client = lazily(() => loadClient(variables.DYNAMODB_ENDPOINT))
  const retryDeps = {
    clock: Date.now,
    random: Math.random,
    sleep: async (ms: number) => await sleep(ms),
  }
  const store = dynamoStore({
    ...retryDeps,
    client,
    endpoint: () => endpointFor('dynamodb', variables, client),
    tables: tableNames(tablePrefix),
    onPoisoned: (id) => lambdaLog({ level: 'error', message: `cannot read item ${id}` }),
  })
  const kms = lazily(async () => kmsCall(await endpointFor('kms', variables, client), retryDeps))
  const nodeKeys = parseKmsKeys('node', nodeKeyIds)
  const adminKeys = parseKmsKeys('admin', adminKeyIds)
  const settings = settingsIn(variables)
  const processId = randomUUID()
  const refused = refusedBeatReporter({ store, clock: Date.now, processId, onTrouble })
  // Nearly always false: an answered renewal then runs none of that code.
  let hasRefused = false
  const entry = createSecuredEntry(
    {
      store,
      publicKeys: kmsPublicKeys(kms, [...nodeKeys, ...adminKeys]),
      nodeSigner: async () => await kmsSigner(await kms(), nodeKeys[0]),
      log: lambdaLog,
      onRefusedBeat: (beat) => {
        hasRefused = true
        refused.note(beat)
      },
      fleetTiming: settings,
      rates: settings,
      settings: {
        tolerations: tolerationDefaults(settings),
        leaseHolders: settings.defaultLeaseHolders,
        ...(isBuffered && { responseLimitBytes: BUFFERED_RESPONSE_LIMIT_BYTES }),
      },
    },
    async (deps) => {
      const { lambdaFullApi } = await import('./full-api.ts')
      return lambdaFullApi(deps, { maxWatches, isBuffered })
    },
  )
  return {
    ...entry,
    pendingWrites: async () => await withinLimit(hasRefused ? refused.flush() : undefined),
  }
}

/** When the tables are out of reach altogether, waiting would only occupy more of Lambda. */
const MAX_WAIT_MS = 500

const withinLimit = async (work: Promise<void> | undefined) =>
  work && (await Promise.race([work, sleep(MAX_WAIT_MS)]))

const onTrouble = (what: string, error: unknown) =>
  lambdaLog({ level: 'warn', message: `could not ${what}`, error })

/** The SDK is half of what there is to load, and no renewal needs it. */
async function loadClient(endpoint: string | undefined) {
  const { dynamoClient } = await import('../../../shared/store/dynamo/client.ts')
  return dynamoClient(endpoint ? { endpoint } : {})
}
