/**
 * `npm run test:deployed`: both stacks deployed into MiniStack, the bundled functions on AWS's
 * runtime client, every AWS call judged by the role's own policies. Real agents beat, one falls
 * silent, kubectl watches over https, events arrive at a queue.
 */
import { deepEqual } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { Components } from '../../local/components.ts'
import { ministackPackages } from '../../local/emulators/ministack-server.ts'
import { startMiniStackSystem } from '../../local/emulators/ministack-system.ts'
import { stackOptions } from '../../local/emulators/stack-options.ts'
import { askControl, controlSocketIn } from '../../local/hosts/control-socket.ts'
import { eventually } from '../eventually.ts'
import { CannotSetUp, needDebian } from './docker-engine.ts'
import type { Statement } from './iam.ts'
import { iamProxy } from './iam-proxy.ts'
import { kubectlWith, lane } from './lane.ts'
import { rolePolicies } from './role-policies.ts'

const PORT = 4577
const roles = ['api', 'monitor', 'notifier'].map((name) => `leasehold-local-${name}`)
const NODES = 6
const GRACE = 'lifecycle.node-monitor-grace-period=12s'
const SECOND_MS = 1_000

await lane('test:deployed', async (running) => {
  await needDebian('kubectl', 'kubernetes-client')
  const python = await ministackPackages()
  if (python.kind === 'absent') throw new CannotSetUp(python.why)
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-deployed-'))
  await running.add('folder', () => ({ stop: async () => rmSync(folder, { recursive: true }) }))
  const { proxy, system } = await deployed(running, folder)
  const arrived = await queueOfAllEvents()
  const kubectl = kubectlWith(system.kubeconfig)
  const ready = async () =>
    (await kubectl(['get', 'nodes', '--no-headers'])).match(/ Ready /g)?.length ?? 0

  await eventually('every host is ready', async () => (await ready()) === NODES, 60 * SECOND_MS)
  console.log('hosts joined and beat, over https, with tokens that KMS signed')
  const seen = watch(system.kubeconfig)
  await askControl(controlSocketIn(folder), 'stop', 'host-1')
  await eventually('the watch shows it', () => /host-1 +NotReady/.test(seen()), 90 * SECOND_MS)
  console.log('a silent host was marked, and an open watch showed it as it happened')
  await eventually('its event arrives', () => arrived('NodeUnreachable'), 60 * SECOND_MS)
  console.log('the notifier told the bus, and a rule brought it to a queue')
  await askControl(controlSocketIn(folder), 'start', 'host-1')
  await eventually('it comes back', async () => (await ready()) === NODES, 60 * SECOND_MS)

  const metrics = () => {
    const file = join(folder, 'logs', 'leasehold-local-monitor.log')
    return existsSync(file) && /"_aws":.*"Ticks":/.test(readFileSync(file, 'utf8'))
  }
  await eventually('the monitor writes its metrics', metrics, 90 * SECOND_MS)
  deepEqual(proxy().refused, [])
  const callers = new Set(
    proxy()
      .made()
      .map(({ caller }) => caller),
  )
  deepEqual([...callers].toSorted(), roles.toSorted())
  console.log(`${proxy().made().length} kinds of AWS calls, all within the roles' policies`)
})

/** The system as `npm run ministack` starts it, with IAM between its functions and MiniStack. */
async function deployed(running: Components, folder: string) {
  let proxy: Awaited<ReturnType<typeof iamProxy>> | undefined
  const awsForFunctions = async (endpoint: string) => {
    const policies = new Map<string, readonly Statement[]>()
    for (const role of roles) policies.set(role, await rolePolicies(endpoint, role))
    const statementsOf = (caller: string) => policies.get(caller) ?? []
    proxy = await running.add('iam', () => iamProxy({ endpoint, statementsOf }))
    return proxy.url
  }
  const stacks = stackOptions([GRACE], {})
  const rest = { port: PORT, apiPort: 0, folder, nodes: NODES, zones: 3, awsForFunctions }
  const system = await startMiniStackSystem(running, { ...stacks, ...rest }, console.log)
  return { system, proxy: () => proxy! }
}

/** A rule for everything we tell, and a queue behind it. */
async function queueOfAllEvents() {
  const sqs = new SQSClient({})
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'heard' }))
  const bus = { EventBusName: 'leasehold-local' }
  const events = new EventBridgeClient({})
  const EventPattern = JSON.stringify({ source: ['leasehold'] })
  await events.send(new PutRuleCommand({ Name: 'all', EventPattern, ...bus }))
  const Arn = 'arn:aws:sqs:us-east-1:000000000000:heard'
  await events.send(new PutTargetsCommand({ Rule: 'all', Targets: [{ Id: 'q', Arn }], ...bus }))
  const heard = new Set<string>()
  return async (type: string) => {
    const received = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 })
    const { Messages = [] } = await sqs.send(received)
    for (const { Body = '{}' } of Messages) heard.add(JSON.parse(Body)['detail-type'])
    return heard.has(type)
  }
}

function watch(kubeconfig: string): () => string {
  let said = ''
  const args = ['--kubeconfig', kubeconfig, 'get', 'nodes', '--watch']
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.on('data', (text: Buffer) => {
    said += text
  })
  child.unref()
  process.once('exit', () => child.kill())
  return () => said
}
