/** A simulated host, for local mode: the real agent on a machine that does not exist. */
import { join } from 'node:path'
import type { ServiceClient } from './client.ts'
import { type AgentClock, systemClock } from './clock.ts'
import { type AgentSettings, DEFAULTS } from './config/settings.ts'
import { type Host, startHost } from './host.ts'
import type { Transport } from './http.ts'
import { nodeCredentials, tokenClient } from './join/credentials.ts'
import { fileMachineProof, memoryMachineProof } from './join/machine-proof.ts'
import { fileTokenStore, memoryTokenStore, type TokenStore } from './join/token-store.ts'
import { type Log, silentLog } from './log.ts'
import type { Machine } from './machine/machine.ts'
import { simulatedMachine } from './machine/simulated-machine.ts'
import type { PodDriver } from './pods/driver.ts'

/** What a real host keeps in its state folder. */
export interface SimulatedState {
  readonly store: TokenStore
  readonly machineProof: () => Promise<string>
}

/** In memory without a folder. */
export const simulatedState = (folder: string | undefined): SimulatedState =>
  folder === undefined
    ? { store: memoryTokenStore(), machineProof: memoryMachineProof() }
    : {
        store: fileTokenStore(join(folder, 'token.json')),
        machineProof: fileMachineProof(join(folder, 'machine-proof'), silentLog),
      }

interface SimulatedHost {
  readonly name: string
  readonly zone?: string
  readonly region?: string
  /** Authenticated as this host already. To join like a real one, give `join` instead. */
  readonly client?: ServiceClient
  /** One transport and one bootstrap token may serve hundreds of hosts; each has its own state. */
  readonly join?: {
    readonly transport: Transport
    readonly bootstrapToken: string
    readonly state: SimulatedState
  }
  readonly machine?: Machine
  readonly settings?: Partial<AgentSettings>
  readonly clock?: AgentClock
  readonly log?: Log
  readonly onRegistered?: () => void
  /** Whether it takes pods: they start and end at once, and nothing runs. */
  readonly runsPods?: boolean
}

const done = async () => ({ ok: true, message: 'simulated' })
const simulatedDriver: PodDriver = { start: done, stop: done, fence: done }

export function startSimulatedHost(options: SimulatedHost): Host {
  const { name, zone, region, onRegistered, clock = systemClock, log = silentLog } = options
  const machine = options.machine ?? simulatedMachine(name)
  const labels = {
    ...(zone && { 'topology.kubernetes.io/zone': zone }),
    ...(region && { 'topology.kubernetes.io/region': region }),
    ...options.settings?.labels,
  }
  const settings: AgentSettings = { ...DEFAULTS, ...options.settings, labels }
  const access = options.client ? { client: options.client } : joined(options, clock, log)
  const host = { name, machine, machineId: 'simulated', settings, clock, log, onRegistered }
  const driver = options.runsPods ? { driver: simulatedDriver } : {}
  return startHost({ ...host, ...driver, ...access })
}

function joined({ name, join: given }: SimulatedHost, clock: AgentClock, log: Log) {
  if (!given)
    throw new Error('a simulated host needs a client, or a transport and a bootstrap token')
  const { state, ...access } = given
  const credentials = nodeCredentials({ ...access, ...state, nodeName: name, clock, log })
  return { client: tokenClient(given.transport, credentials), credentials }
}
