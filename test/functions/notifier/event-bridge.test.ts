/**
 * The real SDK against a server on loopback that answers as EventBridge does, partial failures
 * included.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventBridge, MAX_CALL_BYTES } from '../../../functions/notifier/event-bridge.ts'
import type { DomainEvent } from '../../../shared/lifecycle/events/domain-event.ts'

interface Entry {
  readonly Detail: string
  readonly DetailType: string
  readonly EventBusName: string
  readonly Source: string
  readonly Time: number
}

let server: Server
let client: EventBridgeClient
let calls: Entry[][] = []
/** By the event's version: the code with which its entry fails. */
let faults = new Map<number, string>()
let status = 200

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { Entries } = (await json(request)) as { readonly Entries: Entry[] }
    calls.push(Entries)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
    const answers = Entries.map(({ Detail }) => {
      const code = faults.get(JSON.parse(Detail).version)
      return code ? { ErrorCode: code, ErrorMessage: 'no' } : { EventId: 'x' }
    })
    const FailedEntryCount = answers.filter(({ ErrorCode }) => ErrorCode).length
    response.end(JSON.stringify({ FailedEntryCount, Entries: answers }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  client = new EventBridgeClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-north-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  })
})

afterAll(() => {
  client.destroy()
  server.close()
})

beforeEach(() => {
  calls = []
  faults = new Map()
  status = 200
})

function event(version: number, message?: string): DomainEvent {
  const id = `NodeReady.u.${version}`
  return {
    id,
    source: 'leasehold',
    'detail-type': 'NodeReady',
    time: '2026-01-01T00:00:00Z',
    detail: {
      id,
      stage: 'test',
      object: { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'u' },
      version,
      time: '2026-01-01T00:00:00.000000Z',
      ...(message && { message }),
      change: { to: 'True' },
    },
  }
}

const events = (count: number, message?: string) =>
  Array.from({ length: count }, (_, version) => event(version, message))
const publish = (sent: readonly DomainEvent[]) => eventBridge(client, 'the-bus').publish(sent)
const kinds = async (sent: readonly DomainEvent[]) => (await publish(sent)).map(({ kind }) => kind)

describe('the bus in AWS', () => {
  it('gets ten at a time, each as it was decided', async () => {
    await publish(events(23))
    expect(calls.map(({ length }) => length).toSorted()).toEqual([10, 10, 3])
    const [first] = calls.flat().filter(({ Detail }) => JSON.parse(Detail).version === 0)
    expect(first).toEqual({
      EventBusName: 'the-bus',
      Source: 'leasehold',
      DetailType: 'NodeReady',
      Time: Date.UTC(2026, 0, 1) / 1_000,
      Detail: JSON.stringify(event(0).detail),
    })
  })

  it('never gets more bytes than it takes', async () => {
    await publish(events(20, 'é'.repeat(30_000)))
    const sizes = calls.map((entries) =>
      entries.reduce((sum, { Detail }) => sum + Buffer.byteLength(Detail), 0),
    )
    expect(Math.max(...sizes)).toBeLessThan(MAX_CALL_BYTES)
    expect(calls.flat()).toHaveLength(20)
  })

  it('is not asked for what is larger than a whole call', async () => {
    const sent = [event(1), event(2, 'x'.repeat(MAX_CALL_BYTES)), event(3)]
    expect(await kinds(sent)).toEqual(['delivered', 'refused', 'delivered'])
    expect(calls.flat()).toHaveLength(2)
  })

  it('fails entries one by one, and says which may be tried again', async () => {
    faults = new Map([
      [3, 'ThrottlingException'],
      [11, 'InternalFailure'],
      [12, 'MalformedDetail'],
    ])
    const verdicts = await kinds(events(15))
    expect(verdicts.flatMap((kind, at) => (kind === 'again' ? [at] : []))).toEqual([3, 11])
    expect(verdicts.flatMap((kind, at) => (kind === 'refused' ? [at] : []))).toEqual([12])
  })

  it.each([400, 403, 500, 503])('that answers %i as a whole is asked again later', async (code) => {
    status = code
    expect(await kinds(events(2))).toEqual(['again', 'again'])
    expect(calls).toHaveLength(1)
  })

  it('that cannot be reached is asked again later', async () => {
    const nowhere = new EventBridgeClient({
      endpoint: 'http://127.0.0.1:1',
      region: 'eu-north-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    })
    const [verdict] = await eventBridge(nowhere, 'the-bus').publish([event(1)])
    expect(verdict).toMatchObject({ kind: 'again', why: expect.stringContaining('ECONNREFUSED') })
  })
})
