/** Draining a host that runs no pods of its own: the service sees to their end, and kubectl comes back. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { installed, oldestAndNewest } from './kubectl/binaries.ts'
import { type Shell, shellFor } from './kubectl/shell.ts'
import { type RunningSystem, runningSystem } from './running-system.ts'

const kubectls = await oldestAndNewest()
const PODS = '/api/v1/namespaces/default/pods'

let system: RunningSystem
beforeAll(async () => {
  system = await runningSystem('--nodes', '2', '--node-monitor-period', '1s')
})
afterAll(() => system?.stop())

it('has a kubectl to run', ({ skip }) => {
  skip(kubectls.length === 0, 'no kubectl here: install kubernetes-client')
})

// The rule waits half a minute past the grace of a pod, and looks every so often.
const SLOWEST_MS = 150_000

it.concurrent.each(kubectls)(
  'kubectl $name drains a Ready host',
  { timeout: SLOWEST_MS },
  async (kubectl) => {
    const shell = shellFor(kubectl, system.kubeconfig)
    const name = `drained-${kubectl.minor}`
    const host = kubectl === kubectls[0] ? 'host-1' : 'host-2'
    await isReady(host)
    const containers = [{ name: 'main', image: 'busybox' }]
    const spec = { nodeName: host, terminationGracePeriodSeconds: 1, containers }
    await system.http.call('POST', PODS, { body: { metadata: { name }, spec } })
    const output = await shell.type(`kubectl drain ${host} --force --timeout=120s`)
    expect(output).toContain(`node/${host} cordoned`)
    expect(output).not.toContain('[exit')
    expect((await system.http.call('GET', `${PODS}/${name}`)).status).toBe(404)
    shell.remove()
  },
)

it('the kubectl on the PATH, which may choose among versions by ours, lists the hosts', async ({
  skip,
}) => {
  const [path] = installed()
  skip(!path, 'no kubectl here: install kubernetes-client')
  const shell: Shell = shellFor({ path: path!, minor: 0, name: 'path' }, system.kubeconfig)
  await isReady('host-1')
  await isReady('host-2')
  expect(await shell.type('kubectl get nodes -o name')).toContain('node/host-1\nnode/host-2\n')
  shell.remove()
})

async function isReady(host: string): Promise<void> {
  await eventually(`${host} is Ready`, async () => {
    const { body } = await system.http.call('GET', `/api/v1/nodes/${host}`)
    const conditions: { type: string; status: string }[] = body.status?.conditions ?? []
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  })
}
