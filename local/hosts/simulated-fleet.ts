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
  /** Whether the hosts take pods. */
  readonly runsPods?: boolean
  /** Called for each host when it has registered for the first time. */
  readonly onJoined?: (name: string) => void
  /** Told from time to time how many have registered for the first time. */
  readonly onProgress?: (registered: number) => void
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
  /** By hand, before its turn: it is not started then. */
  isHeldBack?: boolean
}

/** Part of a zone's name as kubectl shows it: `local.zone-a`. */
const REGION = 'local'

/** All at once would wait for each other until their requests run out of time. */
const MOST_JOINING = 50
const PROGRESS_EVERY = 1_000

/** Returns at once; the hosts join in their order, some at a time. */
export function startFleet(plan: FleetPlan): SimulatedFleet {
  const members = membersOf(plan)
  const waiting = members[Symbol.iterator]()
  let registered = 0
  let isStopping = false
  const startNext = () => {
    const { value: member } = waiting.next()
    if (!member || isStopping) return
    if (member.isHeldBack) return startNext()
    startMember(plan, member, () => {
      registered += 1
      plan.onJoined?.(member.name)
      if (registered % PROGRESS_EVERY === 0 || registered === members.length)
        plan.onProgress?.(registered)
      startNext()
    })
  }
  for (let at = 0; at < MOST_JOINING; at += 1) startNext()
  return {
    control: (verb, target) => control(plan, members, verb, target),
    stop: async () => {
      isStopping = true
      await Promise.all(members.map(stopMember))
    },
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
  member.isHeldBack = verb !== 'start'
  if (verb === 'start') return startMember(plan, member)
  if (verb === 'leave') await member.host?.leave()
  await stopMember(member)
}

function startMember(
  { transport, bootstrapToken, settings, runsPods }: FleetPlan,
  member: Member,
  onFirst?: () => void,
): void {
  const { name, zone, state } = member
  const access = { join: { transport, bootstrapToken, state } }
  // A host registers again when its Node was deleted.
  let wasRegistered = false
  const onRegistered = () => {
    if (!wasRegistered) onFirst?.()
    wasRegistered = true
  }
  const host = { name, zone, region: REGION, settings, onRegistered, runsPods }
  if (member.host) onRegistered()
  else member.host = startSimulatedHost({ ...host, ...access })
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
