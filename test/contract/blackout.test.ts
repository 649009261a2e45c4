import { afterAll, beforeAll } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { blackoutBehaviour } from '../functions/monitor/blackout-behaviour.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'

let engine: Engine

beforeAll(async () => {
  engine = await startEngine()
})

afterAll(() => engine.stop())

blackoutBehaviour(async () => {
  const { store, clock } = await dynamoRig(clientFor(engine.endpoint))
  return { store, clock, advance: clock.advance }
}, 5_000)
