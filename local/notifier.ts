/**
 * The notifier of local mode: the real stream of the embedded engine in, the terminal or a bus out.
 */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { patient } from '../functions/monitor/patient.ts'
import { type Bus, printedBus } from '../functions/notifier/bus.ts'
import { storedDiary } from '../functions/notifier/diary.ts'
import { eventBridge } from '../functions/notifier/event-bridge.ts'
import { printedLetters } from '../functions/notifier/letter.ts'
import { createNotifier } from '../functions/notifier/notifier.ts'
import type { Store } from '../shared/store/ports.ts'
import { engineCredentials, engineRegion } from './engine.ts'
import type { StoreAddress } from './local-store.ts'
import type { LocalLog } from './log.ts'
import { storedPositions } from './stream-position.ts'
import { readStream } from './stream-reader.ts'
import { tableStream } from './table-stream.ts'

export interface LocalNotifier {
  readonly store: Store
  readonly address: StoreAddress
  readonly eventBus: string | undefined
  readonly log: LocalLog
}

const STAGE = 'local'
const BUS = 'leasehold-local'

export function startNotifier({ store, address, eventBus, log }: LocalNotifier) {
  const { endpoint, tables } = address
  const access = { endpoint, region: engineRegion, credentials: engineCredentials }
  const notify = createNotifier({
    stage: STAGE,
    bus: busFor(eventBus, log),
    diary: storedDiary(store, Date.now),
    deadLetters: printedLetters(log.say),
    clock: Date.now,
    random: Math.random,
    sleep: patient,
    onHeldUp: ({ item, why }) =>
      log.entry({ level: 'warn', message: `events of ${item} wait: ${why}` }),
  })
  return readStream({
    connect: () => tableStream(new DynamoDBStreamsClient(access), tables.objects),
    notify,
    positions: storedPositions(store),
    sleep: patient,
    onFault: (error) => log.entry({ level: 'warn', message: 'cannot read the stream', error }),
  })
}

function busFor(eventBus: string | undefined, log: LocalLog): Bus {
  if (!eventBus) return printedBus(log.say)
  const access = { endpoint: eventBus, region: engineRegion, credentials: engineCredentials }
  return eventBridge(new EventBridgeClient({ ...access, maxAttempts: 1 }), BUS)
}
