/**
 * The simulated hosts of `--nodes N`: the real agent on machines that do not exist, speaking the
 * real API.
 */
import type { Host } from '../agent/host.ts'
import type { Transport } from '../agent/http.ts'
import type { Settings } from '../agent/settings.ts'
import { startHost } from '../agent/simulated-host.ts'
import type { HostControl, HostVerb } from './host-control.ts'

export interface FleetPlan {
  readonly nodes: number
  readonly zones: number
  readonly transport: Transport
  readonly bootstrapToken: string
  readonly settings: Partial<Settings>
}

export interface SimulatedFleet {
  readonly control: HostControl
  stop(): Promise<void>
}

interface Member {
  readonly name: string
  readonly zone: string
  host?: Host
}

/** Hosts of a real fleet do not start in the same millisecond. */
const START_TOGETHER = 20

export async function startFleet(plan: FleetPlan): Promise<SimulatedFleet> {
  const members = membersOf(plan)
  for (const [at, member] of members.entries()) {
    wake(plan, member)
    if (at % START_TOGETHER === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    control: (verb, target) => control(plan, members, verb, target),
    stop: async () => void (await Promise.all(members.map(silence))),
  }
}

function membersOf({ nodes, zones }: FleetPlan): Member[] {
  const width = String(nodes).length
  return Array.from({ length: nodes }, (_, at) => ({
    name: `host-${String(at + 1).padStart(width, '0')}`,
    zone: zoneName(at % zones),
  }))
}

async function control(
  plan: FleetPlan,
  members: readonly Member[],
  verb: HostVerb,
  target: string,
): Promise<string> {
  const isMeant = ({ name, zone }: Member) => [name, zone, 'all'].includes(target)
  const chosen = members.filter(isMeant)
  if (chosen.length === 0) return `there is no host or zone ${target}`
  if (verb === 'list') return chosen.map(describe).join('\n')
  await Promise.all(chosen.map((member) => act(plan, member, verb)))
  return `${verb}: ${chosen.length} ${chosen.length === 1 ? 'host' : 'hosts'} (${target})`
}

async function act(plan: FleetPlan, member: Member, verb: HostVerb): Promise<void> {
  if (verb === 'start') return wake(plan, member)
  if (verb === 'leave') await member.host?.leave()
  await silence(member)
}

function wake({ transport, bootstrapToken, settings }: FleetPlan, member: Member): void {
  const { name, zone } = member
  const join = { transport, bootstrapToken }
  member.host ??= startHost({ name, zone, region: 'local', join, settings })
}

async function silence(member: Member): Promise<void> {
  const { host } = member
  member.host = undefined
  await host?.stop()
}

const describe = ({ name, zone, host }: Member) =>
  `${name}  ${zone}  ${host ? 'running' : 'silent'}`

/** zone-a, zone-b … zone-z, zone-aa. */
function zoneName(at: number): string {
  const letter = String.fromCharCode(97 + (at % 26))
  return at < 26 ? `zone-${letter}` : `${zoneName(Math.floor(at / 26) - 1)}${letter}`
}
