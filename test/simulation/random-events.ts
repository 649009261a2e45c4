/** What befalls hosts and what people do: one thing after another, at random. */
import type { Node, Taint } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import type { ApiProcess, ApiReply, ApiRequest } from './api-process.ts'
import { die, type Host, type HostParts, report, wake } from './host.ts'
import type { Rng } from './rng.ts'

export interface Scene extends HostParts {
  readonly hosts: readonly Host[]
  readonly zones: readonly string[]
  readonly apis: readonly ApiProcess[]
  /** So that pods have names of their own. */
  pods: number
}

export function startRandomEvents(scene: Scene, everyMs: number): void {
  const { time, rng } = scene
  const next = () => {
    const [, happen] = pickWeighted(RANDOM_EVENTS, rng)
    void happen(scene)
    time.after(rng.between(0.2, 1.8) * everyMs, next)
  }
  time.after(everyMs, next)
}

type RandomEvent = (scene: Scene) => unknown

function pickWeighted<T>(items: readonly (readonly [number, T])[], rng: Rng) {
  let rest = rng.random() * items.reduce((sum, [weight]) => sum + weight, 0)
  for (const item of items) {
    rest -= item[0]
    if (rest < 0) return item
  }
  return items[0]!
}

const anyHost = ({ rng, hosts }: Scene) => rng.pick(hosts)

// ---- hosts --------------------------------------------------------------------------------------

function loseHosts(scene: Scene, hosts: readonly Host[]): void {
  const { time, rng } = scene
  const backMs = rng.pick([2_000, 30_000, 120_000, 900_000]) * rng.between(0.5, 1.5)
  for (const host of hosts) {
    if (!host.isUp) continue
    die(host)
    time.after(backMs + rng.between(0, 5_000), () => wake(scene, host))
  }
}

const oneDies: RandomEvent = (scene) => loseHosts(scene, [anyHost(scene)])

const someDie: RandomEvent = (scene) =>
  loseHosts(
    scene,
    scene.hosts.filter(() => scene.rng.chance(0.4)),
  )

const zoneDies: RandomEvent = (scene) => {
  const zone = scene.rng.pick(scene.zones)
  loseHosts(
    scene,
    scene.hosts.filter((host) => host.zone === zone),
  )
}

const allDie: RandomEvent = (scene) => loseHosts(scene, scene.hosts)

const sayNotReady: RandomEvent = (scene) => {
  const host = anyHost(scene)
  host.isReady = false
  void report(scene, host)
  scene.time.after(scene.rng.between(5_000, 200_000), () => {
    host.isReady = true
    void report(scene, host)
  })
}

const jumpClock: RandomEvent = ({ rng, hosts }) => {
  rng.pick(hosts).skewMs += rng.between(-3_600_000, 3_600_000)
}

// ---- people -------------------------------------------------------------------------------------

const ask = ({ rng, apis }: Scene, asked: ApiRequest): Promise<ApiReply> =>
  rng.pick(apis).call('admin', asked)

const nodePath = ({ name }: Host) => `/api/v1/nodes/${name}`
const patch = (scene: Scene, path: string, body: unknown) =>
  ask(scene, { method: 'PATCH', path, body, type: 'application/merge-patch+json' })

const cordon: RandomEvent = (scene) =>
  patch(scene, nodePath(anyHost(scene)), { spec: { unschedulable: scene.rng.chance(0.5) } })

const annotate = (key: string, choose: (scene: Scene) => string | null): RandomEvent => {
  return (scene) => {
    const annotations = { [`leasehold.dev/${key}`]: choose(scene) }
    return patch(scene, nodePath(anyHost(scene)), { metadata: { annotations } })
  }
}

const maintain = annotate('maintenance-until', ({ time, rng }) =>
  rng.chance(0.3) ? null : formatTime(time.nowMs() + rng.between(10_000, 600_000)),
)
const setGrace = annotate('node-monitor-grace-period', ({ rng }) =>
  rng.chance(0.5) ? null : `${rng.whole(20, 120)}s`,
)

const OWN_TAINT: Taint = { key: 'example.com/broken', effect: 'NoExecute' }

/** Reads, changes and writes back; when another writer was faster it does nothing. */
const taint: RandomEvent = async (scene) => {
  const path = nodePath(anyHost(scene))
  const { status, body } = await ask(scene, { method: 'GET', path })
  if (status !== 200) return
  const node = body as Node
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== OWN_TAINT.key)
  const taints = scene.rng.chance(0.4) ? [...others, OWN_TAINT] : others
  await ask(scene, { method: 'PUT', path, body: { ...node, spec: { ...node.spec, taints } } })
}

const deleteNode: RandomEvent = (scene) =>
  ask(scene, { method: 'DELETE', path: nodePath(anyHost(scene)) })

const pause = (path: (scene: Scene) => string): RandomEvent => {
  return async (scene) => {
    const annotation = (reason: string | null) => ({
      metadata: { annotations: { 'leasehold.dev/evictions-paused': reason } },
    })
    const where = path(scene)
    await patch(scene, where, annotation('the simulation said so'))
    await scene.time.sleep(scene.rng.between(5_000, 400_000))
    await patch(scene, where, annotation(null))
  }
}

const pauseFleet = pause(() => '/apis/leasehold.dev/v1/fleets/fleet')
const pauseZone = pause(({ rng, zones }) => `/apis/leasehold.dev/v1/zones/${rng.pick(zones)}`)

// ---- pods ---------------------------------------------------------------------------------------

const PODS = '/api/v1/namespaces/default/pods'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const NOT_READY = 'node.kubernetes.io/not-ready'

const createPods: RandomEvent = async (scene) => {
  for (let count = scene.rng.whole(1, 4); count > 0; count -= 1) {
    const name = `pod-${++scene.pods}`
    const tolerations = tolerationsOf(scene.rng)
    const nodeName = scene.rng.chance(0.7) ? anyHost(scene).name : undefined
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: [{ name: 'main', image: 'busybox' }],
        ...(nodeName && { nodeName }),
        ...(tolerations && { tolerations }),
        terminationGracePeriodSeconds: scene.rng.pick([0, 5, 30]),
      },
    }
    await ask(scene, { method: 'POST', path: PODS, body })
    if (!nodeName) await bind(scene, name)
  }
}

const bind = (scene: Scene, name: string) =>
  ask(scene, {
    method: 'POST',
    path: `${PODS}/${name}/binding`,
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { apiVersion: 'v1', kind: 'Node', name: anyHost(scene).name },
    },
  })

/** Undefined: what the api gives, 300 s. */
function tolerationsOf(rng: Rng) {
  const both = (tolerationSeconds?: number) =>
    [UNREACHABLE, NOT_READY].map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    }))
  return rng.pick([undefined, both(0), both(20), both(120), both(), [{ operator: 'Exists' }]])
}

const deletePod: RandomEvent = (scene) =>
  ask(scene, { method: 'DELETE', path: `${PODS}/pod-${scene.rng.whole(1, scene.pods + 1)}` })

const RANDOM_EVENTS: readonly (readonly [number, RandomEvent])[] = [
  [12, oneDies],
  [3, someDie],
  [2, zoneDies],
  [1, allDie],
  [4, sayNotReady],
  [2, jumpClock],
  [3, cordon],
  [2, maintain],
  [2, setGrace],
  [3, taint],
  [2, deleteNode],
  [1, pauseFleet],
  [1, pauseZone],
  [8, createPods],
  [2, deletePod],
]
