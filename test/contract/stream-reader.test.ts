/**
 * The reader of local mode on the embedded engine's own stream: nothing skipped, whatever stops and
 * starts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type Engine,
  engineCredentials,
  engineRegion,
  startEngine,
} from '../../local/engine/engine.ts'
import { terminalLog } from '../../local/log.ts'
import { startNotifier } from '../../local/notifier.ts'
import { storedPositions } from '../../local/stream/position.ts'
import {
  readStream,
  type StreamReader,
  type StreamReaderOptions,
} from '../../local/stream/reader.ts'
import { tableStream } from '../../local/stream/table-stream.ts'
import type { Node } from '../../shared/kube/objects.ts'
import type { EmittedEvent } from '../../shared/lifecycle/world.ts'
import { createTables } from '../../shared/store/dynamo/create-tables.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import type { Store, WriteStep } from '../../shared/store/ports.ts'
import { isCandidate } from '../../shared/store/stream-record.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { node, write } from '../functions/notifier/rig.ts'
import { clientFor } from './dynamo-rig.ts'
import { testClock } from './rig.ts'

const tables = tableNames('reader')
let folder: string
let engine: Engine
let store: Store
let reader: StreamReader | undefined
let heard: string[]

async function start(): Promise<void> {
  engine = await startEngine({ dataDir: folder })
  const client = clientFor(engine.endpoint)
  await createTables(client, tables)
  const timing = { random: Math.random, sleep: async () => {} }
  store = dynamoStore({ client, tables, clock: Date.now, ...timing })
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leasehold-stream-'))
  heard = []
  await start()
})

afterEach(async () => {
  await reader?.stop()
  await engine.stop()
  await rm(folder, { recursive: true, force: true })
})

type Notify = StreamReaderOptions['notify']

/** Remembers the names of what it is offered, and lets go of all of it. */
const listen: Notify = async ({ Records }) => {
  for (const record of Records.filter(isCandidate)) heard.push(record.dynamodb!.Keys!.sort!.S!)
  return { batchItemFailures: [] }
}

function read(notify: Notify = listen, faults: unknown[] = []): void {
  const access = { region: engineRegion, credentials: engineCredentials, maxAttempts: 1 }
  reader = readStream({
    // Wherever the engine is now.
    connect: () =>
      tableStream(
        new DynamoDBStreamsClient({ ...access, endpoint: engine.endpoint }),
        tables.objects,
      ),
    notify,
    positions: {
      load: () => storedPositions(store).load(),
      save: (at) => storedPositions(store).save(at),
    },
    sleep: (ms, signal) => delay(Math.min(ms, 20), undefined, { signal }).catch(() => {}),
    onError: (error) => faults.push(error),
  })
}

async function add(...names: readonly string[]): Promise<void> {
  for (const name of names) await write({ store, clock: testClock(0) }, 'nodes', node(name))
}

const isHeard = (...names: readonly string[]) =>
  vi.waitFor(() => expect(heard).toEqual(names.map((name) => `/${name}`)), { timeout: 10_000 })

it('hears what was there and what comes, in order', async () => {
  await add('a', 'b')
  read()
  await isHeard('a', 'b')
  await add('c')
  await isHeard('a', 'b', 'c')
})

it('goes on where it was left', async () => {
  await add('a', 'b')
  read()
  await isHeard('a', 'b')
  await reader!.stop()
  await add('c')
  heard = []
  read()
  await isHeard('c')
})

it('is offered again what was not finished, and nothing behind it before', async () => {
  await add('a', 'b', 'c')
  let failures = 3
  read(async (batch) => {
    const at = batch.Records.findIndex(({ dynamodb }) => dynamodb?.Keys?.sort?.S === '/b')
    if (at < 0 || failures === 0) return listen(batch)
    failures -= 1
    await listen({ Records: batch.Records.slice(0, at) })
    return { batchItemFailures: [{ itemIdentifier: batch.Records[at]!.dynamodb!.SequenceNumber! }] }
  })
  await isHeard('a', 'b', 'c')
  expect(failures).toBe(0)
})

it('outlives the engine', async () => {
  const faults: unknown[] = []
  await add('a')
  read(listen, faults)
  await isHeard('a')
  await engine.stop()
  await vi.waitFor(() => expect(faults.length).toBeGreaterThan(0), { timeout: 10_000 })
  await start()
  await add('b')
  await isHeard('a', 'b')
})

it('does not chase its own notes', async () => {
  await add('a')
  let calls = 0
  read((batch) => {
    calls += 1
    return listen(batch)
  })
  const noted = async () => (await store.records.get('stream-position'))?.version
  const before = await vi.waitUntil(noted, { timeout: 10_000 })
  const seen = calls
  await vi.waitFor(() => expect(calls).toBeGreaterThan(seen + 10), { timeout: 10_000 })
  expect(await noted()).toBe(before)
})

it('reads more than a page', async () => {
  const names = Array.from({ length: 250 }, (_, at) => `host-${at}`)
  await add(...names)
  read()
  await isHeard(...names)
})

it('carries the notifier: what happens is printed, once, and kept for kubectl', async () => {
  const said: string[] = []
  const log = terminalLog((line) => said.push(line), false)
  const address = { endpoint: engine.endpoint, tables }
  reader = startNotifier({ store, address, eventBus: undefined, log })
  await add('a')
  const isTold = () => expect(said).toHaveLength(2)
  await vi.waitFor(isTold, { timeout: 10_000 })
  expect(said.map((line) => line.split(' ').slice(1, 5).join(' '))).toEqual([
    'NodeRegistered a in none',
    'NodeReady a in none',
  ])
  expect(await reasons()).toEqual(['RegisteredNode'])

  // What a write of the monitor emits goes with it through the stream, and only with it.
  await replace(node('a', 'Unknown'), ['NodeNotReady'])
  await replace(node('a', 'False'))
  await replace(node('a', 'True'))
  await vi.waitFor(() => expect(said).toHaveLength(5), { timeout: 10_000 })
  expect(await reasons()).toEqual(['NodeNotReady', 'RegisteredNode'])
})

const reasons = async () =>
  (await store.objects.list('events', {})).items.map(({ fields }) => fields.reason).toSorted()

async function replace(object: Node, emits: readonly EmittedEvent[] = []): Promise<void> {
  const believed = (await store.objects.get('nodes', { namespace: '', name: 'a' }))!
  const metadata = { ...believed.object.metadata, ...object.metadata }
  const step = { do: 'replaceObject', believed, object: { ...object, metadata }, fields: {}, emits }
  expect(await store.commit([step as WriteStep])).toMatchObject({ kind: 'committed' })
}
