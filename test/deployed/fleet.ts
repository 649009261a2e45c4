/** The deployed system with IAM between its functions and AWS, and a way to make trouble there. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventQueue, openEventQueue } from '../../local/cli/verify/event-queue.ts'
import type { Components } from '../../local/components.ts'
import { run } from '../../local/emulators/command.ts'
import { assemblyOf, type Deployment, EMULATED_STAGE } from '../../local/emulators/deployment.ts'
import { emulatedAws } from '../../local/emulators/emulated-aws.ts'
import type { LambdaFunction } from '../../local/emulators/lambda/environment.ts'
import { startMiniStackSystem } from '../../local/emulators/ministack-system.ts'
import { stackOptions } from '../../local/emulators/stack-options.ts'
import type { Statement } from './iam.ts'
import { type Call, iamProxy, type Trouble } from './iam-proxy.ts'
import { rolePolicies } from './role-policies.ts'

/** A beat takes milliseconds; more processes than this only keep a small machine from serving one. */
const MOST_ENVIRONMENTS = 8

const functionNamed = (name: string) => `leasehold-${EMULATED_STAGE}-${name}`
export const MONITOR = functionNamed('monitor')
export const NOTIFIER = functionNamed('notifier')
export const BUS = `leasehold-${EMULATED_STAGE}`
export const roles = [functionNamed('api'), MONITOR, NOTIFIER]

type MakeTrouble = (calls: readonly Call[], body: string) => Trouble | undefined

interface FleetPlan {
  readonly port: number
  readonly nodes: number
  /** A run's time decides how long a monitor lives, and when it is succeeded. */
  readonly monitorRunMs: number
}

export async function deployedFleet(running: Components, plan: FleetPlan) {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-deployed-'))
  await running.add('folder', () => ({ stop: async () => rmSync(folder, { recursive: true }) }))
  const policies = new Map<string, readonly Statement[]>()
  let events: EventQueue | undefined
  let proxy: Awaited<ReturnType<typeof iamProxy>> | undefined
  let makeTrouble: MakeTrouble = () => undefined
  const trouble: MakeTrouble = (calls, body) => makeTrouble(calls, body)
  // Asked after each deploy: roles and policies may be new.
  const awsForFunctions = async (endpoint: string) => {
    // Before the first host joins: what no rule asks for, a bus forgets.
    events ??= await openEventQueue(BUS, 'heard')
    for (const role of roles) policies.set(role, await rolePolicies(endpoint, role))
    const statementsOf = (caller: string) => policies.get(caller) ?? []
    proxy ??= await running.add('iam', () => iamProxy({ endpoint, statementsOf, trouble }))
    return proxy.url
  }
  const asRun = (made: LambdaFunction) =>
    made.name === MONITOR ? { ...made, timeoutMs: plan.monitorRunMs } : made
  const { port, nodes } = plan
  const place = { port, apiPort: 0, folder, nodes, zones: 3 }
  const own = { awsForFunctions, asRun, mostEnvironments: MOST_ENVIRONMENTS }
  const options = { ...stackOptions([], {}), ...place, ...own }
  const system = await startMiniStackSystem(running, options, console.log)
  return {
    ...system,
    folder,
    events: events!,
    iam: () => proxy!,
    /** Until it is told otherwise. */
    troubleWith: (make: MakeTrouble) => {
      makeTrouble = make
    },
  }
}

/** Removes the stack that can be thrown away: monitor, notifier, bus, alarms. */
export async function destroyService({ endpoint, folder }: Deployment): Promise<void> {
  const args = ['destroy', '--force', `leasehold-${EMULATED_STAGE}`, '--app', assemblyOf(folder)]
  await run('cdk', args, { env: emulatedAws(endpoint), logFile: join(folder, 'cdk.log') })
}
