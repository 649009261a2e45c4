/**
 * `npm run test:deployed`: the stacks deployed into MiniStack, the bundled functions on AWS's
 * runtime client, every AWS call judged by the role's own policies. A fleet of 200 hosts beats over
 * https through everything that operators and AWS do to it: no host may be marked, no event lost.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type EventQueue, openEventQueue } from '../../local/cli/verify/event-queue.ts'
import { deploy, outputsOf } from '../../local/emulators/deployment.ts'
import { emulatedAws } from '../../local/emulators/emulated-aws.ts'
import { ministackPackages } from '../../local/emulators/ministack-server.ts'
import { eventually } from '../eventually.ts'
import { CannotSetUp, needDebian } from './docker-engine.ts'
import { BUS, deployedFleet, destroyService, MONITOR, NOTIFIER, roles } from './fleet.ts'
import { kubectlWith, lane } from './lane.ts'
import { previousCommit, synthesizeCommit } from './previous-commit.ts'

const PORT = 4577
const NODES = 200
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** It is succeeded from its 30th second on, as one with the usual 15 minutes is from its 11th. */
const MONITOR_RUN_MS = 4 * MINUTE_MS
type Fleet = Awaited<ReturnType<typeof deployedFleet>>
type Kubectl = ReturnType<typeof kubectlWith>

await lane('test:deployed', async (running) => {
  await needDebian('kubectl', 'kubernetes-client')
  const python = await ministackPackages()
  if (python.kind === 'absent') throw new CannotSetUp(python.why)
  const plan = { port: PORT, nodes: NODES, monitorRunMs: MONITOR_RUN_MS }
  const fleet = await deployedFleet(running, plan)
  const kubectl = kubectlWith(fleet.kubeconfig)
  const heard = heardFrom(fleet.events)
  await eventually('all are ready', async () => (await ready(kubectl)) === NODES, 2 * MINUTE_MS)
  say(`${NODES} hosts joined and beat, over https, with tokens that KMS signed`)

  const previous = synthesizeCommit(previousCommit(), fleet.deployment)
  await Promise.all([verifies(fleet), handsOver(fleet, kubectl)])
  await survivesDeploys(fleet, kubectl, await previous)
  await survivesCrash(fleet, kubectl)
  await heard.ofCordoned(['host-001', 'host-002', 'host-003', 'host-004'])
  say('every event of these minutes arrived')
  await survivesDestruction(fleet, kubectl, heard)
  await parks(fleet, kubectl)
  await heard.ofCordoned(['host-005', 'host-006', 'host-007'])
  say('what was told while there was no notifier, and what was parked, arrived too')

  equal(await ready(kubectl), NODES)
  heard.ofNoMark()
  heard.ofRegistered(NODES)
  loggedAsLambdaDoes(fleet)
  deepEqual(fleet.iam().refused(), [])
  const made = fleet.iam().made()
  deepEqual([...new Set(made.map(({ caller }) => caller))].toSorted(), roles.toSorted())
  say(`no host was marked; ${made.length} kinds of AWS calls, all within the roles' policies`)
})

function say(line: string): void {
  console.log(`${Math.round(performance.now() / SECOND_MS)} s: ${line}`)
}

/** None while the api is too busy to answer. */
async function ready(kubectl: Kubectl): Promise<number> {
  const lines = await kubectl(['get', 'nodes', '--no-headers']).catch(() => '')
  return lines.match(/^host-\d+ +Ready/gm)?.length ?? 0
}

/** Everything that came to the queue, also to one that was opened after a redeploy. */
function heardFrom(first: EventQueue) {
  let queue = first
  const told = new Map<string, Set<string>>()
  const listen = async () => {
    for (const { 'detail-type': type, detail } of await queue.heard())
      told.set(type, (told.get(type) ?? new Set()).add(detail.object.name))
  }
  const namesOf = (type: string) => [...(told.get(type) ?? [])]
  return {
    listen,
    stop: () => queue.stop(),
    listenTo: (next: EventQueue) => {
      queue = next
    },
    async ofCordoned(names: readonly string[]) {
      const missing = () => names.filter((name) => !told.get('NodeCordoned')?.has(name))
      const areAll = async () => {
        await listen()
        return missing().length === 0
      }
      await eventually(() => `NodeCordoned of ${missing()} arrives`, areAll, 2 * MINUTE_MS)
    },
    /** But those of the hosts with which `verify` played a death. */
    ofNoMark() {
      const marks = ['NodeUnreachable', 'NodeNotReady'].flatMap(namesOf)
      deepEqual(
        marks.filter((name) => name.startsWith('host-')),
        [],
      )
    },
    ofRegistered(count: number) {
      equal(namesOf('NodeRegistered').filter((name) => name.startsWith('host-')).length, count)
    },
  }
}

/** As a user runs it: a host is marked, tainted, evicted and told of. */
async function verifies(fleet: Fleet): Promise<void> {
  const seen = watch(fleet.kubeconfig)
  const said = await leasehold(fleet, ['verify', '--ca-file', fleet.caFile])
  match(said, /^verified in .* s: what it made is removed$/m)
  match(seen(), /leasehold-verify-\d+-a +NotReady/)
  say(`npx leasehold verify, and an open watch saw it as it happened:\n${said.trim()}`)
}

async function leasehold(fleet: Fleet, args: readonly string[]): Promise<string> {
  const outputs = ['--outputs', outputsOf(fleet.folder)]
  const options = { env: emulatedAws(fleet.endpoint), timeout: 4 * MINUTE_MS }
  const command = ['local/cli/main.ts', ...args, ...outputs]
  return (await promisify(execFile)(process.execPath, command, options)).stdout
}

function watch(kubeconfig: string): () => string {
  let said = ''
  const args = ['--kubeconfig', kubeconfig, 'get', 'nodes', '--watch']
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.on('data', (line: Buffer) => {
    said += line
  })
  child.unref()
  process.once('exit', () => child.kill())
  return () => said
}

async function holder(kubectl: Kubectl): Promise<string> {
  const lease = ['lease', 'leasehold-monitor', '-n', 'kube-system']
  return await kubectl(['get', ...lease, '-o', 'jsonpath={.spec.holderIdentity}'])
}

/** As the schedule does; the answer is what the run ended with, and comes when it has. */
async function startMonitor({ host }: Fleet): Promise<string> {
  return await text((await host.invoke(MONITOR, {})).body)
}

/** Starts monitors until one has the lease that is another than before. */
async function succeeded(fleet: Fleet, kubectl: Kubectl, before: string): Promise<void> {
  let startAgainMs = 0
  const isAnother = async () => {
    if (performance.now() > startAgainMs) {
      startMonitor(fleet).catch(() => 'it was killed, or there were enough of them')
      startAgainMs = performance.now() + 5 * SECOND_MS
    }
    const now = await holder(kubectl).catch(() => '')
    return now !== '' && now !== before
  }
  await eventually('another monitor has the lease', isAnother, 2 * MINUTE_MS)
}

async function handsOver(fleet: Fleet, kubectl: Kubectl): Promise<void> {
  await succeeded(fleet, kubectl, '')
  await succeeded(fleet, kubectl, await holder(kubectl))
  say('a monitor was asked for its lease by a younger one and handed it over')
}

/** Roll back and upgrade over live data, while the notifier can reach nothing for a minute. */
async function survivesDeploys(
  fleet: Fleet,
  kubectl: Kubectl,
  previous: Fleet['deployment'],
): Promise<void> {
  const untilMs = performance.now() + MINUTE_MS
  const fault = { status: 500, body: { __type: 'InternalFailure' } }
  fleet.troubleWith((calls) =>
    calls.some(({ caller }) => caller === NOTIFIER) ? fault : undefined,
  )
  await kubectl(['cordon', 'host-001'])
  await deploy(previous, false)
  await fleet.runFunctions(previous)
  await kubectl(['cordon', 'host-002'])
  say('rolled back to the commit before this one')
  await deploy(fleet.deployment, false)
  await fleet.runFunctions(fleet.deployment)
  await kubectl(['cordon', 'host-003'])
  say('upgraded to this one again')
  await eventually('a minute has passed', () => performance.now() > untilMs, MINUTE_MS + SECOND_MS)
  fleet.troubleWith(() => undefined)
}

/** Killed when it reads the leases, which is what a tick begins with. */
async function survivesCrash(fleet: Fleet, kubectl: Kubectl): Promise<void> {
  const before = await holder(kubectl)
  let isKilled = false
  fleet.troubleWith((calls) => {
    const isTick = calls.some((each) => each.caller === MONITOR && each.action === 'dynamodb:Scan')
    if (!isTick) return undefined
    fleet.host.kill(MONITOR)
    isKilled = true
    return undefined
  })
  await eventually('a tick begins', () => isKilled, MINUTE_MS)
  fleet.troubleWith(() => undefined)
  await kubectl(['cordon', 'host-004'])
  await succeeded(fleet, kubectl, before)
  say('a monitor was killed in a tick, and another took its place')
}

async function survivesDestruction(
  fleet: Fleet,
  kubectl: Kubectl,
  heard: ReturnType<typeof heardFrom>,
): Promise<void> {
  // AWS deletes no bus that has rules.
  await heard.listen()
  await heard.stop()
  await destroyService(fleet.deployment)
  fleet.host.kill(MONITOR)
  await kubectl(['cordon', 'host-005'])
  say('the service stack is gone; hosts beat on')
  await deploy(fleet.deployment, false)
  heard.listenTo(await openEventQueue(BUS, 'heard-again'))
  await fleet.runFunctions(fleet.deployment)
  await succeeded(fleet, kubectl, await holder(kubectl))
  await kubectl(['cordon', 'host-006'])
  say('it is there again, and judges')
}

/** What the bus refuses for good goes to the dead-letter queue, and from there back with a command. */
async function parks(fleet: Fleet, kubectl: Kubectl): Promise<void> {
  fleet.troubleWith((calls, body) => {
    if (!calls.some(({ action }) => action === 'events:PutEvents')) return undefined
    if (!body.includes('host-007')) return undefined
    const Entries = calls.map(() => ({ ErrorCode: 'InvalidArgument', ErrorMessage: 'played' }))
    return { status: 200, body: { FailedEntryCount: Entries.length, Entries } }
  })
  await kubectl(['cordon', 'host-007'])
  const isParked = () =>
    fleet
      .iam()
      .made()
      .some((each) => each.caller === NOTIFIER && each.action === 'sqs:SendMessage')
  await eventually('the event is parked', isParked, MINUTE_MS)
  fleet.troubleWith(() => undefined)
  const replays = async () =>
    /^[1-9]\d* delivered, 0 left$/m.test(await leasehold(fleet, ['events', 'replay']))
  await eventually('it is replayed', replays, MINUTE_MS)
  say('an event that the bus refused was parked, and replayed')
}

/** One JSON object a line with a level, and metrics as CloudWatch reads them. */
function loggedAsLambdaDoes({ folder }: Fleet): void {
  const logOf = (name: string) => readFileSync(join(folder, 'logs', `${name}.log`), 'utf8')
  match(logOf(MONITOR), /"_aws":.*"Ticks":/)
  const lines = [MONITOR, NOTIFIER].flatMap((name) => logOf(name).split('\n').filter(Boolean))
  const levels = lines
    .map((line) => JSON.parse(line) as { readonly level?: string; readonly _aws?: object })
    .filter(({ _aws }) => !_aws)
    .map(({ level }) => level ?? '')
  ok(levels.includes('ERROR') || levels.includes('WARN'), 'a failing notifier is no news')
  match([...new Set(levels)].join(), /^((INFO|WARN|ERROR|DEBUG),?)*$/)
}
