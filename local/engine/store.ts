/** Opens the tables of an install: in the embedded engine, at `DYNAMODB_ENDPOINT`, or in AWS. */
import { once } from 'node:events'
import { Agent, type AgentOptions } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { endpointOfClient } from '../../shared/store/aws/endpoint.ts'
import type { CapacityUsage } from '../../shared/store/dynamo/calls.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { createTables, waitForTables } from '../../shared/store/dynamo/create-tables.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { type TableNames, tableNames } from '../../shared/store/tables.ts'
import { engineCredentials, engineRegion } from './engine.ts'
import { sealedStore } from './sealed-records.ts'

export const localTables: TableNames = tableNames('leasehold-local')

export interface StoreAddress {
  /** Absent in AWS, where region and credentials come from the environment. */
  readonly endpoint?: string
  /** A unix socket at which the endpoint answers. */
  readonly socketPath?: string
  readonly tables: TableNames
  /** Seals the records that grant power: the embedded engine asks for no secret. */
  readonly sealKey?: Buffer
}

type Where = Pick<StoreAddress, 'endpoint' | 'socketPath'>

/** What a client of the SDK needs to reach it. */
export function accessTo({ endpoint, socketPath }: Where) {
  if (!endpoint) return {}
  const access = { endpoint, region: engineRegion, credentials: engineCredentials }
  return socketPath ? { ...access, requestHandler: { httpAgent: socketAgent(socketPath) } } : access
}

const socketAgent = (socketPath: string) =>
  new Agent({ socketPath, keepAlive: true, maxSockets: SOCKETS } as AgentOptions)

/** As many as the SDK opens by default. */
const SOCKETS = 50

export const clientFor = (where: Where): DynamoDBClient => dynamoClient(accessTo(where))

export function openStore(address: StoreAddress, onUsage?: (usage: CapacityUsage) => void): Store {
  const { tables, socketPath, sealKey } = address
  const client = clientFor(address)
  const store = dynamoStore({
    client,
    ...(socketPath && {
      endpoint: async () => ({ ...(await endpointOfClient(client)), socketPath }),
    }),
    tables,
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => void (await sleep(ms)),
    onUsage,
  })
  return sealKey ? sealedStore(store, sealKey) : store
}

/** For a command beside the server: says at once that none runs, instead of trying for seconds. */
export async function openRunningStore(
  address: StoreAddress,
  onUsage?: (usage: CapacityUsage) => void,
): Promise<Store> {
  if (address.endpoint && !(await answers(address)))
    throw new Error('the server of this install is not running: start it with "npm start"')
  return openStore(address, onUsage)
}

async function answers({ endpoint, socketPath }: Where): Promise<boolean> {
  const { hostname, port } = new URL(endpoint ?? '')
  const target = socketPath ? { path: socketPath } : { host: hostname, port: Number(port) }
  const socket = connect(target)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export async function prepareTables(address: StoreAddress): Promise<void> {
  const client = clientFor(address)
  await createTables(client, address.tables)
  await waitForTables(client, address.tables)
  client.destroy()
}
