import { describe, expect, it } from 'vitest'
import { world } from '../world.ts'

describe('health', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s says ok, and more when asked', async (path) => {
    const place = world()
    const plain = await place.call('GET', path, { as: null })
    expect([plain.status, plain.text]).toEqual([200, 'ok'])
    expect(plain.headers.get('content-type')).toContain('text/plain')
    const verbose = await place.call('GET', `${path}?verbose`, { as: null })
    expect(verbose.text).toContain('[+]ping ok\n')
    expect(verbose.text).toContain(`${path.slice(1)} check passed`)
  })

  it.each([
    { when: 'fails', get: () => Promise.reject(new Error('secret')) },
    { when: 'is silent', get: () => new Promise<undefined>(() => {}) },
  ])('is not ready, but alive, while the store $when', async ({ get }) => {
    const { store } = world()
    const place = world({
      store: { ...store, records: { ...store.records, get } },
      settings: { readyBudgetMs: 5 },
    })
    const reply = await place.call('GET', '/readyz', { as: null })
    expect(reply.status).toBe(500)
    expect(reply.text).toContain('[-]store failed')
    expect(reply.text).not.toContain('secret')
    expect((await place.call('GET', '/livez', { as: null })).status).toBe(200)
  })
})
