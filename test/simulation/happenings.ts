/** What befalls hosts and what people do: one thing after another, at random. */
import type { Node, Taint } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import type { Dice } from './dice.ts'
import type { Ask, Door, Reply } from './door.ts'
import { die, type Host, type HostParts, report, wake } from './host.ts'

export interface Scene extends HostParts {
  readonly hosts: readonly Host[]
  readonly zones: readonly string[]
  readonly doors: readonly Door[]
  /** So that pods have names of their own. */
  pods: number
}

export function startHappenings(scene: Scene, everyMs: number): void {
  const { time, dice } = scene
  const next = () => {
    const [, happen] = pickWeighted(HAPPENINGS, dice)
    void happen(scene)
    time.after(dice.between(0.2, 1.8) * everyMs, next)
  }
  time.after(everyMs, next)
}

type Happening = (scene: Scene) => unknown

function pickWeighted<T>(items: readonly (readonly [number, T])[], dice: Dice) {
  let rest = dice.random() * items.reduce((sum, [weight]) => sum + weight, 0)
  for (const item of items) {
    rest -= item[0]
    if (rest < 0) return item
  }
  return items[0]!
}

const anyHost = ({ dice, hosts }: Scene) => dice.pick(hosts)

// ---- hosts --------------------------------------------------------------------------------------

function loseHosts(scene: Scene, hosts: readonly Host[]): void {
  const { time, dice } = scene
  const backMs = dice.pick([2_000, 30_000, 120_000, 900_000]) * dice.between(0.5, 1.5)
  for (const host of hosts) {
    if (!host.isUp) continue
    die(host)
    time.after(backMs + dice.between(0, 5_000), () => wake(scene, host))
  }
}

const oneDies: Happening = (scene) => loseHosts(scene, [anyHost(scene)])

const someDie: Happening = (scene) =>
  loseHosts(
    scene,
    scene.hosts.filter(() => scene.dice.chance(0.4)),
  )

const zoneDies: Happening = (scene) => {
  const zone = scene.dice.pick(scene.zones)
  loseHosts(
    scene,
    scene.hosts.filter((host) => host.zone === zone),
  )
}

const allDie: Happening = (scene) => loseHosts(scene, scene.hosts)

const sayNotReady: Happening = (scene) => {
  const host = anyHost(scene)
  host.isReady = false
  void report(scene, host)
  scene.time.after(scene.dice.between(5_000, 200_000), () => {
    host.isReady = true
    void report(scene, host)
  })
}

const jumpClock: Happening = ({ dice, hosts }) => {
  dice.pick(hosts).skewMs += dice.between(-3_600_000, 3_600_000)
}

// ---- people -------------------------------------------------------------------------------------

const ask = ({ dice, doors }: Scene, asked: Ask): Promise<Reply> =>
  dice.pick(doors).call('admin', asked)

const nodePath = ({ name }: Host) => `/api/v1/nodes/${name}`
const patch = (scene: Scene, path: string, body: unknown) =>
  ask(scene, { method: 'PATCH', path, body, type: 'application/merge-patch+json' })

const cordon: Happening = (scene) =>
  patch(scene, nodePath(anyHost(scene)), { spec: { unschedulable: scene.dice.chance(0.5) } })

const annotate = (key: string, choose: (scene: Scene) => string | null): Happening => {
  return (scene) => {
    const annotations = { [`leasehold.dev/${key}`]: choose(scene) }
    return patch(scene, nodePath(anyHost(scene)), { metadata: { annotations } })
  }
}

const maintain = annotate('maintenance-until', ({ time, dice }) =>
  dice.chance(0.3) ? null : formatTime(time.nowMs() + dice.between(10_000, 600_000)),
)
const setGrace = annotate('node-monitor-grace-period', ({ dice }) =>
  dice.chance(0.5) ? null : `${dice.whole(20, 120)}s`,
)

const OWN_TAINT: Taint = { key: 'example.com/broken', effect: 'NoExecute' }

/** Reads, changes, writes back what it read: whoever was faster makes it try another day. */
const taint: Happening = async (scene) => {
  const path = nodePath(anyHost(scene))
  const { status, body } = await ask(scene, { method: 'GET', path })
  if (status !== 200) return
  const node = body as Node
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== OWN_TAINT.key)
  const taints = scene.dice.chance(0.4) ? [...others, OWN_TAINT] : others
  await ask(scene, { method: 'PUT', path, body: { ...node, spec: { ...node.spec, taints } } })
}

const deleteNode: Happening = (scene) =>
  ask(scene, { method: 'DELETE', path: nodePath(anyHost(scene)) })

const pause = (path: (scene: Scene) => string): Happening => {
  return async (scene) => {
    const annotation = (reason: string | null) => ({
      metadata: { annotations: { 'leasehold.dev/evictions-paused': reason } },
    })
    const where = path(scene)
    await patch(scene, where, annotation('the simulation said so'))
    await scene.time.sleep(scene.dice.between(5_000, 400_000))
    await patch(scene, where, annotation(null))
  }
}

const pauseFleet = pause(() => '/apis/leasehold.dev/v1/fleets/fleet')
const pauseZone = pause(({ dice, zones }) => `/apis/leasehold.dev/v1/zones/${dice.pick(zones)}`)

// ---- pods ---------------------------------------------------------------------------------------

const PODS = '/api/v1/namespaces/default/pods'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const NOT_READY = 'node.kubernetes.io/not-ready'

const createPods: Happening = async (scene) => {
  for (let count = scene.dice.whole(1, 4); count > 0; count -= 1) {
    const name = `pod-${++scene.pods}`
    const tolerations = tolerationsOf(scene.dice)
    const nodeName = scene.dice.chance(0.7) ? anyHost(scene).name : undefined
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: [{ name: 'main', image: 'busybox' }],
        ...(nodeName && { nodeName }),
        ...(tolerations && { tolerations }),
        terminationGracePeriodSeconds: scene.dice.pick([0, 5, 30]),
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
function tolerationsOf(dice: Dice) {
  const both = (tolerationSeconds?: number) =>
    [UNREACHABLE, NOT_READY].map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    }))
  return dice.pick([undefined, both(0), both(20), both(120), both(), [{ operator: 'Exists' }]])
}

const deletePod: Happening = (scene) =>
  ask(scene, { method: 'DELETE', path: `${PODS}/pod-${scene.dice.whole(1, scene.pods + 1)}` })

const HAPPENINGS: readonly (readonly [number, Happening])[] = [
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
