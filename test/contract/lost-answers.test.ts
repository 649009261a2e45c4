/** Lost answers on every adapter: in memory, and DynamoDB behind a proxy that loses them. */
import { afterAll, beforeAll, describe } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import { losingStore } from '../store-doubles/losing-store.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts'
import { lostAnswerBehaviour } from './lost-answer-behaviour.ts'
import { testClock } from './rig.ts'

describe('in memory', () => {
  lostAnswerBehaviour(async () => {
    const clock = testClock(Date.now())
    const other = memoryStore({ clock })
    const { store, lose, deliverLate, applied } = losingStore(other)
    let before = 0
    return {
      store,
      other,
      clock,
      // It answers at the first loss.
      lose: ([first = 'lost'], then) => lose(first, then),
      deliverLate,
      applied() {
        const since = applied() - before
        before = applied()
        return since
      },
      proves: false,
    }
  })
})

/** On the embedded engine, or on whatever `DYNAMODB_ENDPOINT` names. */
describe('on DynamoDB', () => {
  let engine: Engine | undefined
  let proxy: FaultyProxy

  beforeAll(async () => {
    const endpoint = process.env.DYNAMODB_ENDPOINT
    if (!endpoint) engine = await startEngine()
    proxy = await faultyProxy(endpoint ?? engine!.endpoint)
  })
  afterAll(async () => {
    await proxy.close()
    await engine?.stop()
  })

  lostAnswerBehaviour(async () => {
    const straight = clientFor(process.env.DYNAMODB_ENDPOINT ?? engine!.endpoint)
    const { other, clock, connect } = await dynamoRig(straight)
    const store = connect({ client: clientFor(proxy.endpoint) })
    return {
      store,
      other,
      clock,
      lose: proxy.lose,
      deliverLate: proxy.deliverLate,
      applied() {
        const { size } = proxy.written
        proxy.written.clear()
        return size
      },
      proves: true,
    }
  })
})
