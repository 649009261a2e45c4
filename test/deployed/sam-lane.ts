/**
 * `npm run test:sam`: the card as a user plays it. The api in a container behind SAM, on MiniStack's
 * tables and keys; kubectl makes a node, renews its lease, and is refused a stale write.
 */
import { deepEqual, match, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dockerEngine, needDebian } from './docker-engine.ts'
import { lambdaImage } from './lambda-image.ts'
import { kubectlWith, lane, startCommand } from './lane.ts'

const PORT = '4576'

await lane('test:sam', async ({ add }) => {
  await needDebian('kubectl', 'kubernetes-client')
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-sam-'))
  await add('folder', () => ({ stop: async () => rmSync(folder, { recursive: true }) }))
  const { host: DOCKER_HOST } = await add('docker', dockerEngine)
  await lambdaImage(DOCKER_HOST)
  const ministack = ['--port', PORT, '--api-port', '0', '--data', join(folder, 'ministack')]
  await add('ministack', () => startCommand('ministack', ministack))
  const endpoint = ['--endpoint', `http://127.0.0.1:${PORT}`, '--data', join(folder, 'sam')]
  // Flags of SAM's own are passed on: no image can be pulled here.
  const sam = [...endpoint, '--port', '3176', '--skip-pull-image']
  await add('sam', () => startCommand('sam', sam, { DOCKER_HOST }))
  await plays(kubectlWith(join(folder, 'sam', 'kubeconfig')))
})

function lease(renewTime: string, resourceVersion?: string): string {
  return JSON.stringify({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'by-sam', namespace: 'kube-node-lease', resourceVersion },
    spec: { holderIdentity: 'by-sam', leaseDurationSeconds: 40, renewTime },
  })
}

async function plays(kubectl: ReturnType<typeof kubectlWith>): Promise<void> {
  const node = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'by-sam' } })
  match(await kubectl(['create', '--validate=false', '-f', '-'], node), /node\/by-sam created/)
  match(await kubectl(['get', 'nodes']), /by-sam/)
  await kubectl(['create', '--validate=false', '-f', '-'], lease('2026-01-01T00:00:00.000000Z'))
  const read = async () =>
    JSON.parse(await kubectl(['get', 'lease', 'by-sam', '-n', 'kube-node-lease', '-o', 'json']))
  const { resourceVersion } = (await read()).metadata
  const renewed = '2026-01-01T00:00:10.000000Z'
  await kubectl(['replace', '--validate=false', '-f', '-'], lease(renewed, resourceVersion))
  deepEqual((await read()).spec.renewTime, renewed)
  const stale = lease('2026-01-01T00:00:20.000000Z', resourceVersion)
  await rejects(kubectl(['replace', '--validate=false', '-f', '-'], stale), /Conflict/)
  deepEqual((await read()).spec.renewTime, renewed)
}
