/** The store on the embedded engine, or on whatever `DYNAMODB_ENDPOINT` names. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { commitBehaviour } from './commit-behaviour.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'
import { leaseBehaviour } from './lease-behaviour.ts'
import { objectBehaviour } from './object-behaviour.ts'
import { queryBehaviour } from './query-behaviour.ts'
import { raceBehaviour } from './race-behaviour.ts'
import { renewalBehaviour } from './renewal-behaviour.ts'

let engine: Engine | undefined
let client: DynamoDBClient

beforeAll(async () => {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (!endpoint) engine = await startEngine()
  client = clientFor(endpoint ?? engine!.endpoint)
})

afterAll(() => engine?.stop())

describe.each(['signed', 'sdk'] as const)('with %s calls for one item', (singleItemCalls) => {
  renewalBehaviour(() => dynamoRig(client, { singleItemCalls }))
})

const make = () => dynamoRig(client)
leaseBehaviour(make)
objectBehaviour(make)
queryBehaviour(make)
commitBehaviour(make)
raceBehaviour(make)
