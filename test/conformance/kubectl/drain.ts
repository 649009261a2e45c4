/**
 * Draining a host that runs no pods of its own: the service sees to their end, and kubectl comes
 * back.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../eventually.ts'
import { type InProcessSystem, startInProcess } from '../../local-system/in-process.ts'
import { installed, type Kubectl } from './binaries.ts'
import { shellFor } from './shell.ts'

const PODS = '/api/v1/namespaces/default/pods'
// The rule waits half a minute past the grace of a pod, and looks every so often.
const SLOWEST_MS = 180_000

export function drainSuite(kubectls: readonly Kubectl[]): void {
  describe.concurrent('a host that runs no pods', () => {
    let system: InProcessSystem
    beforeAll(async () => {
      system = await startInProcess('--nodes', '2', '--node-monitor-period', '1s')
      await Promise.all([isReady(system, 'host-1'), isReady(system, 'host-2')])
    })
    afterAll(() => system?.stop())

    it.each(kubectls)('is drained by kubectl $name', { timeout: SLOWEST_MS }, async (kubectl) => {
      const shell = shellFor(kubectl, system.kubeconfig)
      const host = kubectl === kubectls[0] ? 'host-1' : 'host-2'
      const name = `on-${host}`
      const containers = [{ name: 'main', image: 'busybox' }]
      const spec = { nodeName: host, terminationGracePeriodSeconds: 1, containers }
      await system.http.call('POST', PODS, { body: { metadata: { name }, spec } })
      const output = await shell.type(`kubectl drain ${host} --force --timeout=120s`)
      expect(output).toContain(`node/${host} cordoned`)
      expect(output).not.toContain('[exit')
      expect((await system.http.call('GET', `${PODS}/${name}`)).status).toBe(404)
      shell.remove()
    })

    it('is listed by the kubectl on the PATH, which may choose its version by ours', async ({
      skip,
    }) => {
      const [path] = installed()
      skip(!path, 'only a fetched kubectl here')
      const shell = shellFor({ path: path!, minor: 0, name: 'path' }, system.kubeconfig)
      expect(await shell.type('kubectl get nodes -o name')).toContain('node/host-1\nnode/host-2\n')
      shell.remove()
    })
  })
}

async function isReady({ http }: InProcessSystem, host: string): Promise<void> {
  await eventually(`${host} is Ready`, async () => {
    const { body } = await http.call('GET', `/api/v1/nodes/${host}`)
    const conditions: { type: string; status: string }[] = body.status?.conditions ?? []
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  })
}
