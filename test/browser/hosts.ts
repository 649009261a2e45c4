/** Hosts that register, beat until a test silences them, and carry pods. */
import { randomUUID } from 'node:crypto'
import type { Node, Pod } from '../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import { defaultTolerations, nodeLease } from '../builders/objects.ts'
import type { TestServer } from './test-server.ts'

export interface Host {
  readonly name: string
  readonly zone: string
  isSilent: boolean
}

export interface Hosts {
  readonly all: readonly Host[]
  silence(zone: string): void
  wake(zone: string): void
  stop(): void
}

export async function startHosts(
  server: TestServer,
  plan: { readonly zones: readonly string[]; readonly perZone: number; readonly beatMs: number },
): Promise<Hosts> {
  const all = plan.zones.flatMap((zone) =>
    Array.from({ length: plan.perZone }, (_, at) => ({
      name: `${zone}-host-${String(at + 1).padStart(2, '0')}`,
      zone,
      isSilent: false,
    })),
  )
  for (const host of all) await register(server, host)
  const timer = setInterval(() => void beatAll(server, all), plan.beatMs)
  const turn = (zone: string, isSilent: boolean) => {
    for (const host of all) if (zone === host.zone || zone === host.name) host.isSilent = isSilent
  }
  return {
    all,
    silence: (zone) => turn(zone, true),
    wake: (zone) => turn(zone, false),
    stop: () => clearInterval(timer),
  }
}

const beatAll = (server: TestServer, hosts: readonly Host[]) =>
  Promise.all(hosts.filter(({ isSilent }) => !isSilent).map((host) => beat(server, host)))

const keyOf = ({ name }: Host) => ({ namespace: 'kube-node-lease', name })
const microNow = () => formatMicroTime(Date.now() * 1000)

async function register(server: TestServer, host: Host): Promise<void> {
  await server.put('nodes', nodeOf(host))
  const { uid } = (await server.store.objects.get('nodes', { namespace: '', name: host.name }))!
  const written = { uid: randomUUID(), ownerUid: uid, renewTime: microNow() }
  await server.store.leases.create(nodeLease(host.name, written))
}

/** A host that was declared Unknown reports its status with its first beat. */
async function beat(server: TestServer, host: Host): Promise<void> {
  const done = await server.store.leases.renew({
    key: keyOf(host),
    spec: { renewTime: microNow() },
  })
  if (done.kind !== 'renewed') return
  const node = await server.store.objects.get('nodes', { namespace: '', name: host.name })
  const ready = (node?.object as Node | undefined)?.status?.conditions?.[0]
  if (node && ready?.status !== 'True') {
    const { spec } = node.object as Node
    await server.put('nodes', { ...nodeOf(host), spec } as Node).catch(() => {})
  }
}

function nodeOf({ name, zone }: Host): Node {
  const now = formatTime(Date.now())
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'topology.kubernetes.io/region': 'local',
        'topology.kubernetes.io/zone': zone,
        role: name.endsWith('1') ? 'web' : 'worker',
      },
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'AgentReady',
          message: 'the agent is posting ready status',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
      addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
      capacity: { cpu: '8', memory: '32Gi' },
    },
  }
}

/** A workload on a host that leaves `seconds` after its host was tainted. */
export async function placePod(
  server: TestServer,
  host: string,
  name: string,
  seconds: number,
): Promise<void> {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: host,
      tolerations: defaultTolerations(seconds),
      containers: [{ name: 'main', image: 'none' }],
    },
  }
  await server.call('POST', '/api/v1/namespaces/default/pods', pod)
}
