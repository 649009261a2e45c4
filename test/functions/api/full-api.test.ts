import { describe, expect, it } from 'vitest'
import { world } from './world.ts'

describe('what others mount', () => {
  it('is open, or guarded with the caller at hand', async () => {
    const place = world({
      routes: [
        { path: '/dashboard/*', access: 'open', handle: () => new Response('page') },
        { path: '/metrics', access: 'guarded', handle: (_, caller) => new Response(caller?.user) },
      ],
    })
    expect((await place.call('GET', '/dashboard/x.js', { as: null })).text).toBe('page')
    expect((await place.call('GET', '/metrics', { as: null })).status).toBe(401)
    expect((await place.call('GET', '/metrics', { as: 'stranger' })).status).toBe(403)
    expect((await place.call('GET', '/metrics')).text).toBe('admin')
  })
})
