/** Hosts that live in this process: real agents on invented machines, over the public API. */
import { leasePath, nodePath } from '../../../agent/client.ts'
import type { Host } from '../../../agent/host.ts'
import type { Transport } from '../../../agent/http.ts'
import { heartbeat } from '../../../agent/lease/schedule.ts'
import { simulatedState, startSimulatedHost } from '../../../agent/simulated-host.ts'
import {
  createBootstrapToken,
  revokeBootstrapToken,
} from '../../../shared/auth/join/bootstrap-tokens.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { Components } from '../../components.ts'
import type { CommandContext } from '../command.ts'
import type { Service } from './service.ts'

const TOKEN_LIFETIME_MS = 15 * 60_000
const REGION = 'leasehold-verify'

export interface HostsPlan {
  /** Of their zone. */
  readonly name: string
  readonly running: Components
  readonly service: Service
  readonly transport: Transport
  readonly store: Store
  readonly settings: Settings
  readonly context: Pick<CommandContext, 'nowMs' | 'randomInt'>
}

export interface ThrowawayHosts {
  /** Makes a bootstrap token and starts these hosts. `running.stop()` removes all of it. */
  join(names: readonly string[]): Promise<void>
  start(name: string): void
  /** Falls silent. */
  stop(name: string): Promise<void>
  leave(name: string): Promise<void>
}

export function throwawayHosts(plan: HostsPlan): ThrowawayHosts {
  const { running, service, settings } = plan
  const hosts = new Map<string, Host>()
  const states = new Map<string, ReturnType<typeof simulatedState>>()
  let bootstrapToken = ''
  const leaseSeconds = Math.max(1, Math.round((settings.nodeLeaseRenewIntervalMs * 4) / 1000))
  const start = (name: string) => {
    const state = states.get(name) ?? simulatedState(undefined)
    states.set(name, state)
    const join = { transport: plan.transport, bootstrapToken, state }
    const beats = heartbeat({ nodeLeaseDurationSeconds: leaseSeconds })
    const own = { heartbeat: beats, graceMs: settings.nodeMonitorGracePeriodMs }
    const place = { zone: plan.name, region: REGION }
    hosts.set(name, startSimulatedHost({ name, ...place, settings: own, join }))
  }
  const stop = async (name: string) => void (await hosts.get(name)?.stop())
  return {
    start,
    stop,
    leave: async (name) => void (await hosts.get(name)?.leave()),
    async join(names) {
      bootstrapToken = await addToken(plan)
      for (const name of names) {
        const [lease, node] = [leasePath(name), nodePath(name)]
        await running.add(`the lease of ${name}`, () => ({ stop: () => service.remove(lease) }))
        await running.add(`the node ${name}`, () => ({ stop: () => service.remove(node) }))
        await running.add(`the host ${name}`, () => ({ stop: () => stop(name) }))
        start(name)
      }
    },
  }
}

async function addToken({ name, running, store, context }: HostsPlan): Promise<string> {
  const request = { description: name, groups: [], lifetimeMs: TOKEN_LIFETIME_MS }
  const { randomInt } = context
  const token = await createBootstrapToken(store, request, { nowMs: context.nowMs(), randomInt })
  const [id = ''] = token.split('.')
  const stop = async () => void (await revokeBootstrapToken(store, id))
  await running.add('the bootstrap token', () => ({ stop }))
  return token
}
