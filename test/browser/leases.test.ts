/** The leases view: who holds which lock, until when, and its number of transitions. */
import { beforeAll, expect, it } from 'vitest'
import type { Lease, LeaseSpec } from '../../shared/kube/objects.ts'
import { setupBrowser } from './setup.ts'

const HOSTILE = `<img src=x onerror="document.title='owned'">`

const { server, open } = setupBrowser()

const path = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
const take = (namespace: string, name: string, spec: LeaseSpec) =>
  server().call<Lease>('POST', path(namespace), { metadata: { name }, spec })

beforeAll(async () => {
  await server().call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
  await take('shop', 'closed', { holderIdentity: HOSTILE, leaseDurationSeconds: 1_850 })
  await take('shop', 'forever', { holderIdentity: 'batch-0' })
  await take('shop', 'open', { holderIdentity: '', leaseDurationSeconds: 15 })
  await take('kube-node-lease', 'a-host-0002', { holderIdentity: 'a-host-0002' })
})

it('shows leases by who holds them and for how long, as text, without those of hosts', async () => {
  const page = await open('/?view=leases')
  const rows = page.locator('tbody tr')
  await page.getByText('held, never expires').waitFor()
  const texts = await rows.allTextContents()
  expect(texts).toHaveLength(3)
  expect(texts[0]).toContain(`shop/closed${HOSTILE}held expires in 30 min`)
  expect(texts[1]).toMatch(/^shop\/foreverbatch-0held, never expires/)
  expect(texts[2]).toMatch(/^shop\/open—free/)
  expect(await page.title()).toBe('Leases · Leasehold')
})

it('shows one run out before one’s eyes, and change hands with a higher number', async () => {
  const first = { holderIdentity: 'web-1', leaseDurationSeconds: 4 }
  const taken = await take('default', 'leader', first)
  const page = await open('/?view=leases')
  const row = page.locator('tr', { hasText: 'default/leader' })
  await row.getByText(/^expires in \d s/).waitFor()
  await row.getByText('expired', { exact: true }).waitFor()
  const spec = { holderIdentity: 'web-2', leaseDurationSeconds: 3_600 }
  await server().call('PUT', `${path('default')}/leader`, { ...taken, spec })
  await row.getByText('web-2').waitFor()
  const before = taken.spec?.leaseTransitions ?? 0
  expect(await row.locator('.number').textContent()).toBe(String(before + 1))
  await page.getByLabel('Namespace').selectOption('shop')
  await row.waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?view=leases&namespace=shop')
})

it('fits a phone, where every number says what it is', async () => {
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
  const page = await open('/?view=leases&namespace=shop', 'admin', phone)
  await page.getByText('held, never expires').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  const label = "getComputedStyle(document.querySelector('td.number'), '::before').content"
  expect(await page.evaluate(label)).toContain('transitions')
})
