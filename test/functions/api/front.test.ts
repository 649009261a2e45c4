import { describe, expect, it } from 'vitest'
import { createFront } from '../../../functions/api/front.ts'
import { init, LEASES, LOCKS, NODES, replyOf, world } from './world.ts'

const raw = JSON.stringify({ metadata: { name: 'a' } })
const at = (path: string, method: string) =>
  new Request(`https://leasehold${path}`, init(method, method === 'GET' ? {} : { raw }))

/** A front whose whole api only counts who comes to it. */
function counting() {
  const { deps } = world()
  const asked: string[] = []
  const front = createFront(deps, async () => ({
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Response('whole')
    },
  }))
  return { front, asked }
}

describe('the front of the api', () => {
  it.each([
    { path: `${LEASES}/a`, method: 'PUT' },
    { path: `${LOCKS}/a.b-c`, method: 'PATCH' },
    { path: `${LEASES}/a?fieldManager=kubelet`, method: 'PUT' },
  ])('serves $method $path without loading the whole', async ({ path, method }) => {
    const { front, asked } = counting()
    const { status } = await replyOf(await front.fetch(at(path, method)))
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
    const { front, asked } = counting()
    expect(front.beat(at(path, method))).toBeUndefined()
    await front.fetch(at(path, method))
    expect(asked).toEqual([path])
  })

  it('takes no event for a beat whose path would be read as another', () => {
    const { front } = counting()
    const thin = { method: 'PUT', headers: { get: () => null }, content: new Uint8Array() }
    for (const path of [`${LEASES}/..`, `${LEASES}/.`, `${LEASES}/a#b`, `${LEASES}/../nodes`]) {
      expect(front.beat({ ...thin, url: `https://leasehold${path}` }), path).toBeUndefined()
    }
  })

  it('answers 500 when the whole cannot be loaded, and loads it for the next', async () => {
    const { deps, log } = world()
    let tries = 0
    const front = createFront(deps, async () => {
      tries += 1
      if (tries === 1) throw new Error('no such chunk')
      return { fetch: () => new Response('whole') }
    })
    expect((await front.fetch(at(NODES, 'GET'))).status).toBe(500)
    expect(log).toMatchObject([{ level: 'error', path: NODES }])
    expect(await (await front.fetch(at(NODES, 'GET'))).text()).toBe('whole')
  })
})
