/** `leasehold events replay`: what waits in the dead-letter queue is told again. */
import { readFileSync } from 'node:fs'
import { storedDiary } from '../../functions/notifier/diary.ts'
import { type Replayed, replayUndelivered } from '../../functions/notifier/replay.ts'
import { type Command, text, UsageError, type Values, type World } from './command.ts'
import { installHelp, installOptions, readSettings } from './settings.ts'

export const eventsReplay: Command = {
  words: ['events', 'replay'],
  summary: 'deliver what waits in the dead-letter queue',
  help: `  --queue URL           the queue (LEASEHOLD_DEAD_LETTER_QUEUE; output UndeliveredQueueUrl)
  --event-bus NAME      the bus (LEASEHOLD_EVENT_BUS; output EventBusName)
  --stage NAME          the stage, for records that are read again (LEASEHOLD_STAGE; output Stage;
                        default prod)
  --most N              stop after N letters (default: when the queue is empty)

${installHelp}

What is delivered leaves the queue; what fails stays, and is named with its reason. Replayed events
are late: consumers order them by their version.`,
  options: {
    ...installOptions,
    queue: { type: 'string' },
    'event-bus': { type: 'string' },
    stage: { type: 'string' },
    most: { type: 'string' },
  },
  async run(values, world) {
    const { queue, bus, stage, most } = readTarget(values, world.env)
    const store = await world.open(readSettings(values, world.env)).store()
    const replayed = await replayUndelivered({
      ...(await connections(queue, bus)),
      stage,
      diary: storedDiary(store, world.nowMs),
      ...(most !== undefined && { most }),
    })
    report(replayed, world)
  },
}

/** Loaded only here: no other command needs these clients. */
async function connections(queue: string, busName: string) {
  const { SQSClient } = await import('@aws-sdk/client-sqs')
  const { EventBridgeClient } = await import('@aws-sdk/client-eventbridge')
  const { letterQueue } = await import('../../functions/notifier/letter-queue.ts')
  const { eventBridge } = await import('../../functions/notifier/event-bridge.ts')
  return {
    letters: letterQueue(new SQSClient({}), queue),
    bus: eventBridge(new EventBridgeClient({}), busName),
  }
}

export interface ReplayTarget {
  readonly queue: string
  readonly bus: string
  readonly stage: string
  readonly most?: number
}

export function readTarget(values: Values, env: World['env']): ReplayTarget {
  const outputs = outputsIn(text(values.outputs) ?? env.LEASEHOLD_OUTPUTS)
  const queue = text(values.queue) ?? env.LEASEHOLD_DEAD_LETTER_QUEUE ?? outputs.UndeliveredQueueUrl
  const bus = text(values['event-bus']) ?? env.LEASEHOLD_EVENT_BUS ?? outputs.EventBusName
  if (!queue) throw new UsageError('say --queue URL, or --outputs FILE')
  if (!bus) throw new UsageError('say --event-bus NAME, or --outputs FILE')
  const stage = text(values.stage) ?? env.LEASEHOLD_STAGE ?? outputs.Stage ?? 'prod'
  return { queue, bus, stage, ...mostIn(values) }
}

function mostIn(values: Values): { readonly most?: number } {
  const written = text(values.most)
  if (written === undefined) return {}
  if (!/^[1-9]\d{0,8}$/.test(written)) throw new UsageError('--most is a number of letters, from 1')
  return { most: Number(written) }
}

/** What "cdk deploy --outputs-file" wrote: by stack, then by name. */
function outputsIn(file: string | undefined): Readonly<Record<string, string>> {
  if (!file) return {}
  const stacks = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>)
  return Object.assign({}, ...stacks)
}

function report({ delivered, left }: Replayed, world: World): void {
  for (const { id, why } of left) world.tell(`left in the queue: ${id}: ${why}`)
  world.print(`${delivered} delivered, ${left.length} left`)
}
