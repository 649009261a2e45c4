/**
 * `npm run test:localstack`: the card as a user plays it. Both stacks deployed into LocalStack, all
 * three functions in its containers; of two hosts one falls silent, and its events reach a queue.
 */
import { deepEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpTransport } from '../../agent/http.ts'
import { openEventQueue } from '../../local/cli/verify/event-queue.ts'
import { emulatedAws, useEmulator } from '../../local/emulators/emulated-aws.ts'
import { startFleet } from '../../local/hosts/simulated-fleet.ts'
import { eventually } from '../eventually.ts'
import { dockerEngine, needDebian } from './docker-engine.ts'
import { lambdaImage } from './lambda-image.ts'
import { kubectlWith, lane, startCommand } from './lane.ts'
import { startLocalStack } from './localstack-server.ts'

const PORT = 4578
const SECOND_MS = 1_000
const GRACE = ['-c', 'lifecycle.node-monitor-grace-period=20s']

await lane('test:localstack', async ({ add }) => {
  await needDebian('kubectl', 'kubernetes-client')
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-localstack-data-'))
  await add('folder', () => ({ stop: async () => rmSync(folder, { recursive: true }) }))
  const { host: DOCKER_HOST } = await add('docker', dockerEngine)
  await lambdaImage(DOCKER_HOST)
  const plan = { port: PORT, dockerHost: DOCKER_HOST, gateway: gatewayOf(DOCKER_HOST) }
  const { endpoint } = await add('LocalStack', () => startLocalStack(plan))
  console.log('LocalStack runs; deploying')
  const args = ['--endpoint', endpoint, '--api-port', '0', '--data', folder, ...GRACE]
  await add('localstack', () => startCommand('localstack', args, { DOCKER_HOST }))
  useEmulator(endpoint)
  const queue = await add('queue', () => openEventQueue('leasehold-local', 'heard'))
  const fleet = await add('hosts', () => twoHosts(folder, endpoint))
  const kubectl = kubectlWith(join(folder, 'kubeconfig'))
  const shows = async (line: RegExp) =>
    line.test(await kubectl(['get', 'nodes', '--no-headers']).catch(() => ''))

  const both = /host-1 +Ready [\s\S]*host-2 +Ready /
  await eventually('both hosts are ready', () => shows(both), 120 * SECOND_MS)
  console.log('two hosts joined and beat, over https')
  await fleet.control('stop', 'host-1')
  const silent = /host-1 +NotReady [\s\S]*host-2 +Ready /
  await eventually('the silent one is marked', () => shows(silent), 180 * SECOND_MS)
  console.log('the silent one was marked, and the other was not')
  const told = async () => (await queue.heard()).map((each) => each['detail-type'])
  const arrived = async () => (await told()).includes('NodeUnreachable')
  await eventually('its event arrives', arrived, 120 * SECOND_MS)
  const ran = docker(DOCKER_HOST, 'ps', '--all', '--format', '{{.Names}}')
  const inDocker = ['api', 'monitor', 'notifier'].filter((each) =>
    ran.includes(`lambda-leasehold-local-${each}-`),
  )
  deepEqual(inDocker, ['api', 'monitor', 'notifier'])
  console.log('its event reached a queue; all three functions ran in containers')
})

/** This machine, as containers see it. */
function gatewayOf(host: string): string {
  return docker(host, 'network', 'inspect', 'bridge', '-f', '{{(index .IPAM.Config 0).Gateway}}')
}

function docker(host: string, ...args: readonly string[]): string {
  return execFileSync('docker', ['-H', host, ...args], { encoding: 'utf8' }).trim()
}

/** They join with a bootstrap token, as the command's last lines say. */
async function twoHosts(folder: string, endpoint: string) {
  const outputs = join(folder, 'outputs.json')
  const command = ['local/cli/main.ts', 'token', 'bootstrap', 'create', '--outputs', outputs]
  const env = emulatedAws(endpoint)
  const bootstrapToken = execFileSync(process.execPath, command, { env, encoding: 'utf8' }).trim()
  const stacks = JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, { ApiUrl?: string }>
  const server = Object.values(stacks).find(({ ApiUrl }) => ApiUrl)?.ApiUrl ?? ''
  const ca = readFileSync(join(folder, 'ca.crt'), 'utf8')
  const transport = httpTransport({ server, ca, maxSockets: 4 })
  const plan = { nodes: 2, zones: 2, settings: {}, stateFolder: undefined }
  return await startFleet({ ...plan, transport, bootstrapToken })
}
