/** Plays the rehearsal in an install, step by step, and removes what it made. */
import { readFileSync } from 'node:fs'
import { systemClock } from '../../../agent/clock.ts'
import { httpTransport } from '../../../agent/http.ts'
import { type FlagValues, stringFlag, UsageError } from '../../../shared/flags/flag-set.ts'
import type { CapacityUsage } from '../../../shared/store/dynamo/calls.ts'
import { components } from '../../components.ts'
import type { CommandContext, InstallLocation } from '../command.ts'
import { locateInstall, stackOutputs } from '../install-location.ts'
import { userToken } from '../token-commands.ts'
import { type Judgement, placeOf, readJudgement } from './preflight.ts'
import { ownGraceMs, rehearsal, type Stage, seconds, TOLERATION_SECONDS } from './rehearsal.ts'
import { serviceWith } from './service.ts'

const POLL_MS = 250
const STOP_MS = 20_000
const SOCKETS = 4

export async function verifyInstall(values: FlagValues, context: CommandContext): Promise<void> {
  const location = locateInstall(values, context.env)
  const bus = busOf(location, values, context.env)
  const install = context.open(location)
  const server = install.server()
  context.print(`place      ${await placeOf(location, server, context.env)}`)
  const usage: CapacityUsage[] = []
  const store = await install.store((each) => void usage.push(each))
  const caFile = stringFlag(values['ca-file'])
  const ca = caFile ? readFileSync(caFile, 'utf8') : install.ca()
  const transport = httpTransport({ server, ca, maxSockets: SOCKETS })
  const { token } = await userToken(install, context, ADMINISTRATOR)
  const service = serviceWith(transport, token)
  const judgement = await readJudgement(service)
  context.print(`settings   ${settingsLine(judgement)}`)
  context.print(`verifying  ${server}: this takes about ${expectedSeconds(judgement, location)} s`)

  const running = components(STOP_MS)
  const startMs = context.nowMs()
  const until = waiting(context, context.interrupted())
  const name = `leasehold-verify-${context.randomInt(1_000_000)}`
  const { settings } = judgement
  const plan = { name, running, service, transport, store, settings, context, until }
  const failure = await failureOf(async () => {
    const queue = bus ? await running.add(QUEUE, () => listenTo(bus, name)) : undefined
    await play({ ...plan, queue }, usage, context)
  })
  context.tell('removing what was made')
  const left = await running.stop()
  const rest = left.length > 0 ? `could not remove ${left.join(', ')}` : 'what it made is removed'
  if (failure !== undefined) throw new Error(`NOT verified: ${failure}; ${rest}`)
  if (left.length > 0) throw new Error(`verified, but ${rest}`)
  context.print(`verified in ${seconds(context.nowMs() - startMs)}: ${rest}`)
}

const ADMINISTRATOR = { user: 'leasehold-verify', group: ['system:masters'], ttl: '30m' }
const QUEUE = 'the queue and its rule'

/** Loaded on demand: locally there is no bus. */
async function listenTo(bus: string, name: string) {
  const { openEventQueue } = await import('./event-queue.ts')
  return await openEventQueue(bus, name)
}

function busOf(location: InstallLocation, values: FlagValues, env: CommandContext['env']) {
  if (location.kind === 'local') return undefined
  const outputs = stackOutputs(stringFlag(values.outputs) ?? env.LEASEHOLD_OUTPUTS)
  const bus = stringFlag(values['event-bus']) ?? env.LEASEHOLD_EVENT_BUS ?? outputs.EventBusName
  if (!bus) throw new UsageError('say --event-bus NAME, or --outputs FILE')
  return bus
}

function settingsLine({ settings, nodes }: Judgement): string {
  const grace = seconds(settings.nodeMonitorGracePeriodMs)
  return `${nodes} nodes; a tick every ${seconds(settings.nodeMonitorPeriodMs)}, grace ${grace}`
}

const CONNECTING_SECONDS = 10
/** With no node at all the monitor in AWS is started once a minute. */
const WAKING_SECONDS = 60

function expectedSeconds({ settings, nodes }: Judgement, { kind }: InstallLocation): number {
  const { nodeEvictionSettleMs: settleMs, nodeMonitorPeriodMs: tickMs } = settings
  const wakingSeconds = kind === 'aws' && nodes === 0 ? WAKING_SECONDS : 0
  const waitMs = ownGraceMs(settings) + settleMs + TOLERATION_SECONDS * 1000 + 3 * tickMs
  return CONNECTING_SECONDS + Math.round(waitMs / 1000) + wakingSeconds
}

async function play(stage: Stage, usage: CapacityUsage[], context: CommandContext): Promise<void> {
  for (const step of rehearsal(stage)) {
    const startMs = context.nowMs()
    usage.length = 0
    context.tell(`${step.name} ...`)
    const said = await step.play()
    const tookMs = context.nowMs() - startMs
    const columns = [step.name.padEnd(10), seconds(tookMs).padStart(7), ` ${unitsOf(usage)} `, said]
    context.print(columns.join(' '))
  }
}

/** Of what this process wrote itself: an answer of the api does not say what it wrote for it. */
function unitsOf(usage: readonly CapacityUsage[]): string {
  const writes = usage.filter(({ operation }) => /^(Put|Update|Delete|Transact)/.test(operation))
  const units = writes.reduce((sum, { writeUnits }) => sum + writeUnits, 0)
  return (units === 0 ? 'units unknown' : `write units ${units}`).padEnd(13)
}

async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Requests may fail meanwhile: what counts is whether the condition comes to hold in time. */
function waiting(context: CommandContext, interrupted: AbortSignal): Stage['until'] {
  return async (what, withinMs, holds) => {
    const untilMs = context.nowMs() + withinMs
    let why = ''
    while (context.nowMs() < untilMs) {
      if (interrupted.aborted) throw new Error('interrupted')
      const met = await holds().catch((error: Error) => {
        why = ` (${error.message})`
        return false
      })
      if (met) return
      await systemClock.wait(POLL_MS, interrupted)
    }
    throw new Error(`not within ${seconds(withinMs)}: ${what}${why}`)
  }
}
