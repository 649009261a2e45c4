/** `leasehold events replay`: delivers again what waits in the dead-letter queue. */
import { type Replayed, replayUndelivered } from '../../functions/notifier/replay.ts'
import { type FlagValues, flag, stringFlag, UsageError } from '../../shared/flags/flag-set.ts'
import { eventRecorder } from '../../shared/store/event-recorder.ts'
import type { Command, CommandContext } from './command.ts'
import { locateInstall, stackOutputs } from './install-location.ts'

export const eventsReplay: Command = {
  words: ['events', 'replay'],
  summary: 'deliver what waits in the dead-letter queue',
  flags: {
    queue: flag('URL', 'the queue (LEASEHOLD_DEAD_LETTER_QUEUE; output UndeliveredQueueUrl)'),
    'event-bus': flag('NAME', 'the bus (LEASEHOLD_EVENT_BUS; output EventBusName)'),
    stage: flag(
      'NAME',
      'the stage, for records that are read again\n(LEASEHOLD_STAGE; output Stage)',
      'prod',
    ),
    most: flag('N', 'stop after N letters', 'all of them'),
  },
  notes: `What is delivered leaves the queue; what fails stays, and is named with its reason. Replayed events
are late: consumers order them by their version.`,
  async run(values, context) {
    const { queue, bus, stage, most } = readTarget(values, context.env)
    const store = await context.open(locateInstall(values, context.env)).store()
    const replayed = await replayUndelivered({
      ...(await connections(queue, bus)),
      stage,
      recorder: eventRecorder(store, context.nowMs),
      ...(most !== undefined && { most }),
    })
    report(replayed, context)
  },
}

/** Loaded on demand: no other command needs these clients. */
async function connections(queue: string, busName: string) {
  const { SQSClient } = await import('@aws-sdk/client-sqs')
  const { EventBridgeClient } = await import('@aws-sdk/client-eventbridge')
  const { deadLetterQueue } = await import('../../functions/notifier/dead-letter-queue.ts')
  const { eventBridge } = await import('../../functions/notifier/event-bridge.ts')
  return {
    queue: deadLetterQueue(new SQSClient({}), queue),
    bus: eventBridge(new EventBridgeClient({}), busName),
  }
}

interface ReplayTarget {
  readonly queue: string
  readonly bus: string
  readonly stage: string
  readonly most?: number
}

export function readTarget(values: FlagValues, env: CommandContext['env']): ReplayTarget {
  const outputs = stackOutputs(stringFlag(values.outputs) ?? env.LEASEHOLD_OUTPUTS)
  const queue =
    stringFlag(values.queue) ?? env.LEASEHOLD_DEAD_LETTER_QUEUE ?? outputs.UndeliveredQueueUrl
  const bus = stringFlag(values['event-bus']) ?? env.LEASEHOLD_EVENT_BUS ?? outputs.EventBusName
  if (!queue) throw new UsageError('say --queue URL, or --outputs FILE')
  if (!bus) throw new UsageError('say --event-bus NAME, or --outputs FILE')
  const stage = stringFlag(values.stage) ?? env.LEASEHOLD_STAGE ?? outputs.Stage ?? 'prod'
  return { queue, bus, stage, ...mostIn(values) }
}

function mostIn(values: FlagValues): { readonly most?: number } {
  const written = stringFlag(values.most)
  if (written === undefined) return {}
  if (!/^[1-9]\d{0,8}$/.test(written)) throw new UsageError('--most is a number of letters, from 1')
  return { most: Number(written) }
}

function report({ delivered, left }: Replayed, context: CommandContext): void {
  for (const { id, why } of left) context.tell(`left in the queue: ${id}: ${why}`)
  context.print(`${delivered} delivered, ${left.length} left`)
}
