/**
 * client-node's informer: it sees everything, resumes where it was, and lists again when told to.
 */
import { CoreV1Api, ListWatch, type V1Node, Watch } from '@kubernetes/client-node'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { OLDEST_VERSION_RECORD } from '../../functions/api/watch/watch-options.ts'
import { eventually } from '../eventually.ts'
import { type CountedSystem, startCounted } from '../local-system/counted.ts'
import { type TcpProxy, tcpProxy } from '../local-system/tcp-proxy.ts'
import { kubeConfigFor } from './client-node.ts'

let system: CountedSystem
let proxy: TcpProxy
beforeAll(async () => {
  system = await startCounted()
  proxy = await tcpProxy(system.server)
})
afterAll(async () => {
  await proxy?.close()
  await system?.stop()
})

let suite = 0
beforeEach(() => {
  suite += 1
})

const NODES = '/api/v1/nodes'
const create = (name: string) =>
  system.http.call('POST', NODES, { body: { metadata: { name, labels: { suite: `s${suite}` } } } })
const cordon = (name: string, unschedulable: boolean | null) =>
  system.http.call('PATCH', `${NODES}/${name}`, {
    body: { spec: { unschedulable } },
    type: 'application/merge-patch+json',
  })
const remove = (name: string) => system.http.call('DELETE', `${NODES}/${name}`)

/** `quietMs`: after so long without a word the client closes the watch and opens another. */
async function informer(quietMs = 30_000) {
  const config = kubeConfigFor({ ...system, server: proxy.server })
  const core = config.makeApiClient(CoreV1Api)
  const watch = new Watch(config)
  Object.assign(watch, { requestTimeoutMs: quietMs })
  const labelSelector = `suite=s${suite}`
  const seen = { lists: 0, story: [] as string[], errors: 0 }
  const list = () => {
    seen.lists += 1
    return core.listNode({ labelSelector })
  }
  const cache = new ListWatch<V1Node>(NODES, watch, list, false, labelSelector)
  for (const verb of ['add', 'update', 'delete'] as const) {
    cache.on(verb, (node) => seen.story.push(`${verb} ${node.metadata?.name}`))
  }
  cache.on('error', () => {
    seen.errors += 1
  })
  await cache.start()
  const told = (...lines: string[]) =>
    eventually(
      () => `${lines} in ${seen.story}`,
      () => lines.every((line) => seen.story.includes(line)),
    )
  return { cache, seen, told, list: async () => (await core.listNode({ labelSelector })).items }
}

const versions = (nodes: readonly V1Node[]) =>
  nodes.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`).toSorted()

it('tells what was there, what comes, what changes and what goes', async () => {
  await create('there')
  const { cache, seen, told } = await informer()
  await told('add there')
  await create('comes')
  await cordon('there', true)
  await told('add comes', 'update there')
  await remove('comes')
  await told('delete comes')
  expect(cache.get('there')?.spec?.unschedulable).toBe(true)
  expect(seen).toMatchObject({ lists: 1, errors: 0 })
  await cache.stop()
})

it('misses nothing while it reconnects again and again', async () => {
  const { cache, seen, list } = await informer(400)
  for (let at = 0; at < 60; at += 1) {
    await create(`n-${at}`)
    if (at % 2) await cordon(`n-${at}`, true)
    if (at % 3 === 2) await remove(`n-${at - 1}`)
  }
  await eventually(
    () => `the cache ${versions(cache.list())}`,
    async () => versions(cache.list()).join() === versions(await list()).join(),
  )
  expect(seen.lists).toBe(1)
  await cache.stop()
})

it('stops when the wire is cut, and goes on from where it was when started again', async () => {
  const { cache, seen, told } = await informer()
  await create('before')
  await told('add before')
  proxy.disconnect()
  await eventually('the error', () => seen.errors === 1)
  await create('meanwhile')
  await remove('before')
  await cache.start()
  await told('add meanwhile', 'delete before')
  expect(seen.lists).toBe(1)
  await cache.stop()
})

it('lists again after 410, and drops what has gone', async () => {
  const { cache, seen, told } = await informer()
  await create('goes')
  await create('stays')
  await told('add goes', 'add stays')
  proxy.disconnect()
  await eventually('the error', () => seen.errors === 1)
  await remove('goes')
  // As after a restore from a backup: versions from before mean nothing any more.
  const version = Date.now() * 1_000
  await system.store.commit([{ do: 'putRecord', name: OLDEST_VERSION_RECORD, value: { version } }])
  await cache.start()
  await told('delete goes')
  expect(seen.lists).toBe(2)
  await create('after')
  await told('add after')
  await cache.stop()
})
