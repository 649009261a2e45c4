import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboardRoutes } from '../../../../functions/api/routes/dashboard-route.ts'
import { world } from '../world.ts'

const PAGE = '<!doctype html><title>page</title>'
const SCRIPT = 'console.log(1)'
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-page-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'secret.txt'), 'not for the web')
  writeFileSync(join(folder, 'assets', 'index-abc.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets', 'index-abc.js.br'), 'brotli')
})
afterAll(() => rmSync(folder, { recursive: true }))

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  world({ routes: dashboardRoutes(folder) }).app.request(path, { method, headers })

describe('the page', () => {
  it('is there for anybody, and asks whether it has changed each time', async () => {
    const response = await ask('/')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(PAGE)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('allows scripts of its own host and nothing inline', async () => {
    const policy = (await ask('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  it.each(['x-content-type-options', 'x-frame-options', 'referrer-policy'])(
    'sends %s',
    async (name) => {
      expect((await ask('/')).headers.has(name)).toBe(true)
      expect((await ask('/assets/none.js')).headers.has(name)).toBe(true)
    },
  )

  it('says what to run where it is not built, and is there once that was done', async () => {
    const absent = join(folder, 'absent')
    const { app } = world({ routes: dashboardRoutes(absent) })
    const response = await app.request('/')
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('npm run build:dashboard')
    mkdirSync(absent)
    writeFileSync(join(absent, 'index.html'), PAGE)
    expect((await app.request('/')).status).toBe(200)
  })
})

describe('assets', () => {
  it.each([
    { when: 'nothing is said', accept: undefined, coding: null },
    { when: 'both are known', accept: 'gzip, deflate, br, zstd', coding: 'br' },
    { when: 'only gzip is', accept: 'gzip', coding: 'gzip' },
    { when: 'brotli is refused', accept: 'br;q=0, gzip;q=0.5', coding: 'gzip' },
  ])('come packed when $when: $coding', async ({ accept, coding }) => {
    const headers: Record<string, string> = accept ? { 'accept-encoding': accept } : {}
    const response = await ask('/assets/index-abc.js', headers)
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  it('are kept for ever', async () => {
    const { headers } = await ask('/assets/index-abc.js')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it('have a head without a body', async () => {
    const response = await ask('/assets/index-abc.js', {}, 'HEAD')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each([
    '/assets/none.js',
    '/assets/',
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/../../package.json',
    '/assets/index-abc.js.gz',
    '/assets/%00',
  ])('are nothing else: %s', async (path) => {
    const response = await ask(path)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await response.text()).not.toContain('not for the web')
  })

  it('cannot be written', async () => {
    const response = await ask('/assets/index-abc.js', {}, 'POST')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
