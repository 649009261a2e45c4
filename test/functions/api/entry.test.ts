import { describe, expect, it } from 'vitest'
import { createEntry } from '../../../functions/api/entry.ts'
import { init, LEASES, LOCKS, NODES, replyOf, world } from './world.ts'

const raw = JSON.stringify({ metadata: { name: 'a' } })
const at = (path: string, method: string) =>
  new Request(`https://leasehold${path}`, init(method, method === 'GET' ? {} : { raw }))

/** An entry whose full api only counts who comes to it. */
function counting() {
  const { deps } = world()
  const asked: string[] = []
  const entry = createEntry(deps, async () => ({
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Response('whole')
    },
  }))
  return { entry, asked }
}

describe('the entry of the api', () => {
  it.each([
    { path: `${LEASES}/a`, method: 'PUT' },
    { path: `${LOCKS}/a.b-c`, method: 'PATCH' },
    { path: `${LEASES}/a?fieldManager=kubelet`, method: 'PUT' },
  ])('serves $method $path without loading the whole', async ({ path, method }) => {
    const { entry, asked } = counting()
    const { status } = await replyOf(await entry.fetch(at(path, method)))
    expect([201, 404]).toContain(status)
    expect(asked).toEqual([])
  })

  it.each([
    { path: `${LEASES}/a`, method: 'GET' },
    { path: `${LEASES}/a`, method: 'DELETE' },
    { path: LEASES, method: 'POST' },
    { path: `${LEASES}/a/status`, method: 'PUT' },
    { path: `${LEASES}/a/`, method: 'PUT' },
    { path: `${LEASES}/%61`, method: 'PUT' },
    { path: `${LEASES}/A`, method: 'PUT' },
    { path: `${NODES}/a/status`, method: 'PATCH' },
    { path: '/healthz', method: 'GET' },
  ])('leaves $method $path to the whole', async ({ path, method }) => {
    const { entry, asked } = counting()
    expect(entry.serveLeaseWrite(at(path, method))).toBeUndefined()
    await entry.fetch(at(path, method))
    expect(asked).toEqual([path])
  })

  it('takes no event for a beat whose path would be read as another', () => {
    const { entry } = counting()
    const thin = { method: 'PUT', headers: { get: () => null }, content: new Uint8Array() }
    for (const path of [`${LEASES}/..`, `${LEASES}/.`, `${LEASES}/a#b`, `${LEASES}/../nodes`]) {
      expect(
        entry.serveLeaseWrite({ ...thin, url: `https://leasehold${path}` }),
        path,
      ).toBeUndefined()
    }
  })

  it('answers 500 when the whole cannot be loaded, and loads it for the next', async () => {
    const { deps, log } = world()
    let tries = 0
    const entry = createEntry(deps, async () => {
      tries += 1
      if (tries === 1) throw new Error('no such chunk')
      return { fetch: () => new Response('whole') }
    })
    expect((await entry.fetch(at(NODES, 'GET'))).status).toBe(500)
    expect(log).toMatchObject([{ level: 'error', path: NODES }])
    expect(await (await entry.fetch(at(NODES, 'GET'))).text()).toBe('whole')
  })
})
