/** Starts the simulated hosts of a system on this machine, and listens for `npm run hosts`. */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { httpTransport } from '../../agent/http.ts'
import { heartbeat } from '../../agent/lease/schedule.ts'
import { TEMPLATE } from '../../examples/reschedule/reschedule.ts'
import { createBootstrapToken } from '../../shared/auth/join/bootstrap-tokens.ts'
import type { Store } from '../../shared/store/ports.ts'
import { adminToken } from '../admin-kubeconfig.ts'
import type { Components } from '../components.ts'
import type { DataFolder } from '../data-folder.ts'
import type { LocalOptions } from '../options.ts'
import { controlSocketIn, listenForControl } from './control-socket.ts'
import { type SimulatedFleet, startFleet } from './simulated-fleet.ts'

/** Enough connections for a big simulated fleet, few enough for a small machine. */
const FLEET_SOCKETS = 32

export interface HostsPlan {
  readonly options: Pick<LocalOptions, 'nodes' | 'zones' | 'settings' | 'dataFolder'> &
    Partial<Pick<LocalOptions, 'pods'>>
  readonly store: Store
  readonly data: DataFolder
  readonly api: string
  readonly caPem: string
  /** Tells how many have joined so far. */
  readonly say?: (text: string) => void
}

export async function startHosts(running: Components, plan: HostsPlan): Promise<void> {
  const fleet = await running.add('hosts', () => simulatedHosts(plan))
  await running.add('host control', () =>
    listenForControl(controlSocketIn(plan.data.folder), fleet.control),
  )
}

async function simulatedHosts(plan: HostsPlan): Promise<SimulatedFleet> {
  const { options, store, api, caPem, say } = plan
  const { nodes, zones, settings, pods = 0 } = options
  const transport = httpTransport({ server: api, ca: caPem, maxSockets: FLEET_SOCKETS })
  const place = async (host: string) => {
    const token = await adminToken(plan.data, Date.now())
    for (const body of podsOf(host, pods))
      await transport.exchange({ method: 'POST', path: PODS, body }, token)
  }
  // No limit of uses: a thousand hosts would contend for the one record that counts them down.
  const request = { description: 'simulated hosts', groups: [] }
  const when = { nowMs: Date.now(), randomInt: (below: number) => randomInt(below) }
  const bootstrapToken = await createBootstrapToken(store, request, when)
  const leaseSeconds = Math.max(1, Math.round((settings.nodeLeaseRenewIntervalMs * 4) / 1000))
  return startFleet({
    onProgress: (registered) => say?.(`${registered} of ${nodes} simulated hosts have joined`),
    nodes,
    zones,
    bootstrapToken,
    stateFolder: options.dataFolder && join(options.dataFolder, 'hosts'),
    transport,
    runsPods: pods > 0,
    onJoined: (host) =>
      void place(host).catch((error: Error) => say?.(`no pods for ${host}: ${error.message}`)),
    settings: {
      heartbeat: heartbeat({ nodeLeaseDurationSeconds: leaseSeconds }),
      graceMs: settings.nodeMonitorGracePeriodMs,
    },
  })
}

const PODS = '/api/v1/namespaces/default/pods'

/** Under the same names after a restart, where they are there already. */
function podsOf(nodeName: string, count: number) {
  const labels = { app: 'app' }
  const containers = [{ name: 'main', image: 'simulated' }]
  const template = JSON.stringify({ labels, spec: { containers } })
  return Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `app-${nodeName}${at === 0 ? '' : `-${at + 1}`}`,
      labels,
      annotations: { [TEMPLATE]: template },
    },
    spec: { nodeName, containers },
  }))
}
