import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Node, Pod } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { type TcpProxy, tcpProxy } from '../local-system/tcp-proxy.ts'
import { type BuiltAgent, builtAgent, isReady, isUnknown, nodePath } from './built-agent.ts'
import { type LocalService, startLocalService } from './local-service.ts'

const WITHIN_MS = 20_000

let service: LocalService
let agent: BuiltAgent
let proxy: TcpProxy
beforeAll(async () => {
  service = await startLocalService('6s')
  agent = await builtAgent(service)
  proxy = await tcpProxy(service.url)
})
afterAll(async () => {
  await agent.stop()
  await proxy.close()
  await service.stop()
})

interface Deed {
  readonly word: string
  readonly input: Pod & { readonly items?: readonly Pod[] }
}

/** A hook that writes down what it was told, and the way to read that. */
function writtenDown(name: string) {
  const hook = join(agent.folder, `${name}-hook`)
  const book = `${hook}.book`
  writeFileSync(hook, `#!/bin/sh\necho "$1 $(cat)" >> ${book}\n`, { mode: 0o755 })
  const deeds = (): readonly Deed[] =>
    (existsSync(book) ? readFileSync(book, 'utf8') : '')
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => ({
        word: text.slice(0, text.indexOf(' ')),
        input: JSON.parse(text.slice(text.indexOf(' '))),
      }))
  const words = () => deeds().map(({ word }) => word)
  return { hook, deeds, words }
}

const podsPath = '/api/v1/namespaces/default/pods'

async function assign(name: string, nodeName: string): Promise<void> {
  const made = await service.asAdmin({
    method: 'POST',
    path: podsPath,
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { nodeName, containers: [{ name: 'main', image: 'none' }] },
    },
  })
  expect(made.code).toBe(201)
}

const isRunning = (pod: Pod) => pod.status?.phase === 'Running'
const podThat = (name: string, what: string, holds: (pod: Pod) => boolean) =>
  service.objectThat<Pod>(`${podsPath}/${name}`, what, holds)
const nodeThat = (name: string, what: string, holds: (node: Node) => boolean) =>
  service.objectThat<Node>(nodePath(name), what, holds)

async function isGone(name: string): Promise<void> {
  const isListed = ({ items = [] }: { items?: readonly Pod[] }) =>
    items.some(({ metadata }) => metadata.name === name)
  await service.objectThat(podsPath, `pod ${name} is gone`, (list) => !isListed(list as object))
}

const patchNode = (name: string, body: unknown) =>
  service.asAdmin({
    method: 'PATCH',
    path: nodePath(name),
    body,
    contentType: 'application/merge-patch+json',
  })

describe.concurrent('pods on a host of the local service', () => {
  it('start by the hook, and are gone once the hook has stopped them', async () => {
    const { hook, deeds, words } = writtenDown('worker')
    agent.start('worker', '--pod-hook', hook)
    await nodeThat('worker', 'it is ready', isReady)
    await assign('web', 'worker')
    const pod = await podThat('web', 'it runs', isRunning)
    expect(deeds()).toMatchObject([
      { word: 'start', input: { metadata: { name: 'web', uid: pod.metadata.uid } } },
    ])
    const path = `${podsPath}/web`
    expect((await service.asAdmin({ method: 'DELETE', path })).code).toBe(200)
    await isGone('web')
    expect(words()).toEqual(['start', 'stop'])
    expect(deeds()[1]?.input.metadata.deletionTimestamp).toBeDefined()
  })

  it('are stopped by the hook when a taint evicts them', async () => {
    const { hook, words } = writtenDown('tainted')
    agent.start('tainted', '--pod-hook', hook)
    await nodeThat('tainted', 'it is ready', isReady)
    await assign('batch', 'tainted')
    await podThat('batch', 'it runs', isRunning)
    const taint = { key: 'example.com/repair', effect: 'NoExecute' }
    expect((await patchNode('tainted', { spec: { taints: [taint] } })).code).toBe(200)
    await isGone('batch')
    expect(words()).toEqual(['start', 'stop'])
  })

  it('are fenced on a host that was cut off before the service gives it up', async () => {
    const { hook, deeds, words } = writtenDown('cut')
    agent.start('cut', '--pod-hook', hook, '--fence', '--server', proxy.server)
    await nodeThat('cut', 'it is ready', isReady)
    await assign('only-once', 'cut')
    await podThat('only-once', 'it runs', isRunning)
    proxy.pause()
    await nodeThat('cut', 'it is given up', isUnknown)
    expect(words().at(-1)).toBe('fence')
    const fenced = deeds().flatMap(({ input }) => input.items ?? [])
    expect(fenced.map(({ metadata }) => metadata.name)).toContain('only-once')
    proxy.resume()
    await nodeThat('cut', 'it is back', isReady)
    await eventually('it works again', () => words().at(-1) === 'start', WITHIN_MS)
  })
})
