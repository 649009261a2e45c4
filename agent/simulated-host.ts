/**
 * A host that exists only in memory, for local mode and the bench. Everything but its machine is
 * the real agent.
 */
import type { Client } from './client.ts'
import { type Clock, systemClock } from './clock.ts'
import { fakeMachine } from './fake-machine.ts'
import { type Host, startHost as start } from './host.ts'
import type { Transport } from './http.ts'
import { credentials } from './join.ts'
import { type Log, silentLog } from './log.ts'
import type { Machine } from './machine.ts'
import { DEFAULTS, type Settings } from './settings.ts'
import { tokenClient } from './token-client.ts'
import { memoryTokenStore } from './token-store.ts'

export interface SimulatedHost {
  readonly name: string
  readonly zone?: string
  readonly region?: string
  /** Speaks as this host already. To join like a real one, give `join` instead. */
  readonly client?: Client
  /**
   * One transport serves hundreds of hosts; so does one bootstrap token that may be used as often.
   */
  readonly join?: { readonly transport: Transport; readonly bootstrapToken: string }
  readonly machine?: Machine
  readonly settings?: Partial<Settings>
  readonly clock?: Clock
  readonly log?: Log
}

export function startHost(options: SimulatedHost): Host {
  const { name, zone, region, clock = systemClock, log = silentLog } = options
  const machine = options.machine ?? fakeMachine(name)
  const labels = {
    ...(zone && { 'topology.kubernetes.io/zone': zone }),
    ...(region && { 'topology.kubernetes.io/region': region }),
    ...options.settings?.labels,
  }
  const settings: Settings = { ...DEFAULTS, ...options.settings, labels }
  const speaking = options.client ? { client: options.client } : joined(options, clock, log)
  return start({ name, machine, machineId: 'simulated', settings, clock, log, ...speaking })
}

function joined({ name, join }: SimulatedHost, clock: Clock, log: Log) {
  if (!join)
    throw new Error('a simulated host needs a client, or a transport and a bootstrap token')
  const held = credentials({
    ...join,
    nodeName: name,
    machineProof: `simulated machine ${name}`,
    store: memoryTokenStore(),
    clock,
    log,
  })
  return { client: tokenClient(join.transport, held), credentials: held }
}
