/** The simulated hosts of `--nodes N`: real agents on invented machines, over the real API. */
import { join } from 'node:path'
import type { AgentSettings } from '../../agent/config/settings.ts'
import type { Host } from '../../agent/host.ts'
import type { Transport } from '../../agent/http.ts'
import {
  type SimulatedState,
  simulatedState,
  startSimulatedHost,
} from '../../agent/simulated-host.ts'
import type { HostControl, HostVerb } from './control-socket.ts'

interface FleetPlan {
  readonly nodes: number
  readonly zones: number
  readonly transport: Transport
  readonly bootstrapToken: string
  readonly settings: Partial<AgentSettings>
  /** Where the hosts keep their tokens and proofs; in memory without it. */
  readonly stateFolder: string | undefined
}

export interface SimulatedFleet {
  readonly control: HostControl
  stop(): Promise<void>
}

interface Member {
  readonly name: string
  readonly zone: string
  readonly state: SimulatedState
  host?: Host
}

/** Part of a zone's name as kubectl shows it: `local.zone-a`. */
const REGION = 'local'

/** Between batches the event loop runs, so that the api answers while a big fleet starts. */
const START_BATCH = 20

export async function startFleet(plan: FleetPlan): Promise<SimulatedFleet> {
  const members = membersOf(plan)
  for (const [at, member] of members.entries()) {
    startMember(plan, member)
    if (at % START_BATCH === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    control: (verb, target) => control(plan, members, verb, target),
    stop: async () => void (await Promise.all(members.map(stopMember))),
  }
}

function membersOf({ nodes, zones, stateFolder }: FleetPlan): Member[] {
  const width = String(nodes).length
  return Array.from({ length: nodes }, (_, at) => {
    const name = `host-${String(at + 1).padStart(width, '0')}`
    const state = simulatedState(stateFolder && join(stateFolder, name))
    return { name, zone: zoneName(at % zones), state }
  })
}

async function control(
  plan: FleetPlan,
  members: readonly Member[],
  verb: HostVerb,
  target: string,
): Promise<string> {
  const isMeant = ({ name, zone }: Member) =>
    [name, zone, `${REGION}.${zone}`, 'all'].includes(target)
  const chosen = members.filter(isMeant)
  if (chosen.length === 0) throw new Error(`there is no host or zone ${target}`)
  if (verb === 'list') return chosen.map(describe).join('\n')
  await Promise.all(chosen.map((member) => act(plan, member, verb)))
  return `${verb}: ${chosen.length} ${chosen.length === 1 ? 'host' : 'hosts'} (${target})`
}

async function act(plan: FleetPlan, member: Member, verb: HostVerb): Promise<void> {
  if (verb === 'start') return startMember(plan, member)
  if (verb === 'leave') await member.host?.leave()
  await stopMember(member)
}

function startMember({ transport, bootstrapToken, settings }: FleetPlan, member: Member): void {
  const { name, zone, state } = member
  const access = { join: { transport, bootstrapToken, state } }
  member.host ??= startSimulatedHost({ name, zone, region: REGION, settings, ...access })
}

async function stopMember(member: Member): Promise<void> {
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
