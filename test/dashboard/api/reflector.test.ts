import { describe, expect, it } from 'vitest'
import { ApiError, type KubeClient } from '../../../dashboard/api/client.ts'
import { type ListUpdate, runReflector } from '../../../dashboard/api/reflector.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'

type Answer = { items: string[]; version: string } | Error
type Stream = readonly string[] | 'silence' | Error

const named = (name: string, resourceVersion = '1') => ({ metadata: { name, resourceVersion } })
const line = (type: string, name: string, version: string) =>
  `${JSON.stringify({ type, object: named(name, version) })}\n`

/** A server that answers from two lists, and ends the test when one of them is used up. */
function script(lists: Answer[], streams: Stream[]) {
  const ending = new AbortController()
  const asked: string[] = []
  const next = <T>(answers: T[]): T => {
    const answer = answers.shift()
    if (answer !== undefined) return answer
    ending.abort()
    throw new Error('the end')
  }
  const client: KubeClient = {
    nowMs: () => 0,
    send: async () => Promise.reject(new Error('nothing is written')),
    async get<T>(path: string) {
      asked.push(path)
      const answer = next(lists)
      if (answer instanceof Error) throw answer
      const metadata = { resourceVersion: answer.version }
      return { metadata, items: answer.items.map((name) => named(name)) } as T
    },
    async open(path, signal) {
      asked.push(path)
      const stream = next(streams)
      if (stream instanceof Error) throw stream
      if (stream === 'silence') return silent(signal)
      const bytes = stream.map((text) => new TextEncoder().encode(text))
      return ReadableStream.from(bytes) as ReadableStream<Uint8Array>
    },
  }
  return { client, ending, asked }
}

/** A dead connection: no bytes, no end, no error until the caller aborts. */
const silent = (signal: AbortSignal) =>
  new ReadableStream<Uint8Array>({
    start: (controller) =>
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true }),
  })

async function told(lists: Answer[], streams: Stream[], watch = true) {
  const { client, ending, asked } = script(lists, streams)
  const updates: ListUpdate<KubeObject>[] = []
  const slept: number[] = []
  const sleep = async (ms: number) => void slept.push(ms)
  const deps = { client, signal: ending.signal, random: () => 0, sleep, idleTimeoutMs: 20 }
  await runReflector({ path: '/things?limit=9', watch, pollMs: 4_000 }, deps, (item) =>
    updates.push(item),
  )
  const said = updates.map((item) =>
    item.kind === 'data' ? [...item.items.keys()].join(' ') : item.kind,
  )
  return { said, asked, slept }
}

describe('a reflector', () => {
  it('lists again and again where no watch is wanted', async () => {
    const lists = [
      { items: ['a'], version: '1' },
      { items: ['a', 'b'], version: '2' },
    ]
    const { said, slept } = await told(lists, [], false)
    expect(said).toEqual(['a', 'a b'])
    expect(slept).toEqual([4_000, 4_000])
  })

  it('watches from the version of the list, and goes on from the last one it saw', async () => {
    const streams = [[line('ADDED', 'b', '7')], [line('DELETED', 'a', '8')]]
    const { said, asked } = await told([{ items: ['a'], version: '5' }], streams)
    expect(said).toEqual(['a', 'a b', 'b'])
    const versions = asked.slice(1).map((path) => new URLSearchParams(path.split('?')[1]))
    expect(versions.map((query) => query.get('resourceVersion'))).toEqual(['5', '7', '8'])
    expect(versions.every((query) => !query.has('limit'))).toBe(true)
  })

  it('takes a bookmark for a sign of life', async () => {
    const { said } = await told([{ items: ['a'], version: '5' }], [[line('BOOKMARK', '', '9')]])
    expect(said).toEqual(['a', 'bookmark'])
  })

  it.each([
    { when: 'the stream says so', stream: [`${JSON.stringify({ type: 'ERROR', object: {} })}\n`] },
    { when: 'the answer says so', stream: new ApiError(410, 'Expired', 'too old') },
  ])('lists afresh when its version is too old: $when', async ({ stream }) => {
    const lists = [
      { items: ['a'], version: '5' },
      { items: ['b'], version: '6' },
    ]
    expect((await told(lists, [stream])).said).toEqual(['a', 'b'])
  })

  it.each([405, 429, 503])('lists every few seconds where a watch is answered %s', async (code) => {
    const lists = [
      { items: ['a'], version: '5' },
      { items: ['b'], version: '6' },
    ]
    const refusal = new ApiError(code, '', 'no watch')
    const { said, slept } = await told(lists, [refusal, refusal])
    expect(said).toEqual(['a', 'b'])
    expect(slept).toEqual([4_000, 4_000])
  })

  it('does not wait for ever for a connection that has died without a word', async () => {
    const lists = [
      { items: ['a'], version: '5' },
      { items: ['b'], version: '6' },
    ]
    expect((await told(lists, ['silence'])).said).toEqual(['a', 'b'])
  })

  it.each([
    { when: 'the service', reason: 'Forbidden', said: ['refused'] },
    { when: 'a gateway', reason: '', said: ['lost', 'a'] },
  ])('takes a refusal for an answer from $when: $said', async ({ reason, said }) => {
    const lists = [new ApiError(403, reason, 'no'), { items: ['a'], version: '5' }]
    expect((await told(lists, [])).said).toEqual(said)
  })

  it('says that the connection is lost, waits longer each time, and comes back', async () => {
    const away = new TypeError('Failed to fetch')
    const { said, slept } = await told([away, away, away, { items: ['a'], version: '5' }], [])
    expect(said).toEqual(['lost', 'lost', 'lost', 'a'])
    expect(slept).toEqual([250, 500, 1_000])
  })

  it.each([401, 403, 404])('gives up where asking again would not help: %s', async (code) => {
    const { said, asked } = await told([new ApiError(code, 'Because', 'no')], [])
    expect(said).toEqual(['refused'])
    expect(asked).toHaveLength(1)
  })
})
