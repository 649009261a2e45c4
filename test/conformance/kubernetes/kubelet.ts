/**
 * A real kubelet with containerd, on this machine, as a node of local mode: it becomes Ready, shows its
 * static pod, is Unknown while it is stopped, and hears of a cordon and of an eviction.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureReason } from '../../../local/emulators/python-environment.ts'
import { kubeconfigText } from '../../../shared/kube/kubeconfig.ts'
import { eventually } from '../../eventually.ts'
import { type InProcessSystem, startInProcess } from '../../local-system/in-process.ts'
import type { Outcome } from '../clients/counts.ts'
import { ask } from '../clients/program.ts'
import { built } from './binary.ts'
import { joinAs } from './joined-node.ts'
import { type Running, start, startContainerd, unmountBelow } from './runtime.ts'

const NAME = 'kubelet-1'
const NODE = `/api/v1/nodes/${NAME}`
const PODS = '/api/v1/namespaces/default/pods'
const STEP_MS = 120_000
const GRACE = ['--node-monitor-period', '1s', '--node-monitor-grace-period', '25s']

export async function kubeletSuite(): Promise<Outcome> {
  const why = await obstacle()
  if (why !== undefined) return { kind: 'skipped', why }
  const binary = await built('kubelet')
  if (binary.kind === 'skipped') return binary
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-kubelet-'))
  const system = await startInProcess(...GRACE)
  const running: Running[] = []
  try {
    const containerd = await startContainerd(folder).catch((error: unknown) => failureReason(error))
    if (typeof containerd === 'string')
      return { kind: 'skipped', why: `containerd does not start here: ${containerd.slice(-300)}` }
    running.push(containerd)
    const kubelet = await startKubelet(system, folder, binary.path, containerd.socket)
    running.push(kubelet)
    return { kind: 'ran', ...(await check(system, kubelet)) }
  } finally {
    for (const one of running.toReversed()) await one.stop()
    await system.stop()
    await unmountBelow(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function obstacle(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'a kubelet must be root'
  if (!existsSync('/sys/fs/cgroup')) return 'this machine has no cgroups'
  try {
    await ask('containerd', '--version')
    return undefined
  } catch (error) {
    return failureReason(error)
  }
}

async function startKubelet(
  system: InProcessSystem,
  folder: string,
  path: string,
  socket: string,
): Promise<Running> {
  const token = await joinAs(system, NAME)
  const manifests = join(folder, 'manifests')
  await mkdir(manifests)
  const container = { name: 'main', image: 'example.invalid/none', imagePullPolicy: 'Never' }
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'static', namespace: 'default' } },
    spec: { hostNetwork: true, containers: [container] },
  }
  await writeFile(join(manifests, 'static.json'), JSON.stringify(pod))
  const { server, caPem: ca } = system
  const facts = { server, ca, user: NAME, auth: { token } }
  await writeFile(join(folder, 'kubeconfig'), kubeconfigText(facts), { mode: 0o600 })
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socket}`,
    staticPodPath: manifests,
    // Pods are not read in protobuf.
    contentType: 'application/json',
    podLogsDir: join(folder, 'logs'),
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    // This machine may have the older cgroups, and its limits are not the test's to set.
    ...{ failCgroupV1: false, cgroupsPerQOS: false, enforceNodeAllocatable: [] },
    ...{ cgroupDriver: 'cgroupfs', failSwapOn: false, localStorageCapacityIsolation: false },
    ...{ port: 10_350, healthzPort: 0, nodeStatusUpdateFrequency: '2s' },
    ...{ evictionHard: { 'memory.available': '1Mi' } },
  }
  await writeFile(join(folder, 'kubelet.json'), JSON.stringify(config))
  return start(path, [
    ...['--config', join(folder, 'kubelet.json'), '--kubeconfig', join(folder, 'kubeconfig')],
    ...['--root-dir', join(folder, 'kubelet'), '--cert-dir', join(folder, 'pki')],
    ...['--hostname-override', NAME],
  ])
}

async function check({ http }: InProcessSystem, kubelet: Running) {
  const readyIs = async (status: string) => {
    const { body } = await http.call('GET', NODE)
    const conditions: { type: string; status: string }[] = body.status?.conditions ?? []
    return conditions.find(({ type }) => type === 'Ready')?.status === status
  }
  const merge = (path: string, body: object) =>
    http.call('PATCH', path, { body, type: 'application/merge-patch+json' })
  const podIs = async (name: string, status: number) =>
    (await http.call('GET', `${PODS}/${name}`)).status === status

  const steps: readonly (readonly [string, () => Promise<unknown>, () => Promise<boolean>])[] = [
    ['is Ready', async () => {}, () => readyIs('True')],
    ['shows its static pod', async () => {}, () => podIs(`static-${NAME}`, 200)],
    [
      'is Unknown when stopped',
      async () => kubelet.process.kill('SIGSTOP'),
      () => readyIs('Unknown'),
    ],
    [
      'is Ready when it goes on',
      async () => kubelet.process.kill('SIGCONT'),
      () => readyIs('True'),
    ],
    [
      'hears of a cordon',
      () => merge(NODE, { spec: { unschedulable: true } }),
      async () => hasEvent(http, 'NodeNotSchedulable'),
    ],
    ['is given a pod', () => http.call('POST', PODS, { body: assigned }), () => podIs('work', 200)],
    [
      'has noticed the pod',
      async () => {},
      async () => {
        const { body } = await http.call('GET', `${PODS}/work`)
        return body.status?.startTime !== undefined
      },
    ],
    [
      'ends the pod that is evicted',
      () => http.call('POST', `${PODS}/work/eviction`, { body: eviction }),
      () => podIs('work', 404),
    ],
  ]
  let passed = 0
  for (const [what, act, holds] of steps) {
    await act()
    try {
      await eventually(what, holds, STEP_MS)
    } catch {
      console.log(`the kubelet: not ${what}\n${kubelet.lines.join('\n')}`)
      return { passed, failed: 1 }
    }
    console.log(`the kubelet ${what}`)
    passed += 1
  }
  return { passed, failed: 0 }
}

const assigned = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'work', namespace: 'default' },
  spec: {
    ...{ nodeName: NAME, hostNetwork: true, terminationGracePeriodSeconds: 5 },
    automountServiceAccountToken: false,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'main', image: 'example.invalid/none', imagePullPolicy: 'Never' }],
  },
}
const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'work' } }

async function hasEvent(http: InProcessSystem['http'], reason: string): Promise<boolean> {
  const { body } = await http.call('GET', '/api/v1/namespaces/default/events')
  return body.items.some((event: { reason?: string }) => event.reason === reason)
}
