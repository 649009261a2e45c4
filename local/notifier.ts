/** The notifier of local mode: reads the engine's stream, writes to the terminal or a bus. */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { interruptibleSleep } from '../functions/monitor/sleep.ts'
import { type EventBus, printedEventBus } from '../functions/notifier/bus.ts'
import { eventBridge } from '../functions/notifier/event-bridge.ts'
import { createNotifier } from '../functions/notifier/notifier.ts'
import { printedDeadLetters } from '../functions/notifier/undelivered-event.ts'
import { eventRecorder } from '../shared/store/event-recorder.ts'
import type { Store } from '../shared/store/ports.ts'
import { engineCredentials, engineRegion } from './engine/engine.ts'
import { accessTo, type StoreAddress } from './engine/store.ts'
import type { LocalLog } from './log.ts'
import { storedPositions } from './stream/position.ts'
import { readStream } from './stream/reader.ts'
import { tableStream } from './stream/table-stream.ts'

interface LocalNotifier {
  readonly store: Store
  readonly address: StoreAddress
  readonly eventBus: string | undefined
  readonly log: LocalLog
  /** What else hears the events. */
  readonly onBus?: (bus: EventBus) => EventBus
}

const STAGE = 'local'
const BUS = 'leasehold-local'

export function startNotifier({ store, address, eventBus, log, onBus }: LocalNotifier) {
  const bus = busFor(eventBus, log)
  const notify = createNotifier({
    stage: STAGE,
    bus: onBus?.(bus) ?? bus,
    recorder: eventRecorder(store, Date.now),
    deadLetters: printedDeadLetters(log.say),
    clock: Date.now,
    random: Math.random,
    sleep: interruptibleSleep,
    onHeldUp: ({ item, why }) =>
      log.entry({ level: 'warn', message: `events of ${item} wait: ${why}` }),
  })
  return readStream({
    connect: () =>
      tableStream(new DynamoDBStreamsClient(accessTo(address)), address.tables.objects),
    notify,
    positions: storedPositions(store),
    sleep: interruptibleSleep,
    onError: (error) => log.entry({ level: 'warn', message: 'cannot read the stream', error }),
  })
}

function busFor(eventBus: string | undefined, log: LocalLog): EventBus {
  if (!eventBus) return printedEventBus(log.say)
  const access = { endpoint: eventBus, region: engineRegion, credentials: engineCredentials }
  return eventBridge(new EventBridgeClient({ ...access, maxAttempts: 1 }), BUS)
}
