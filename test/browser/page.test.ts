/**
 * The page over a fleet that stands still: signing in, looking around, and text that means harm.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Node, Pod } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { withCountdown } from '../../shared/lifecycle/eviction/countdown.ts'
import { signIn } from './browser.ts'
import {
  cellsFixture,
  cellsObjects,
  fleetObject,
  type ZoneFixture,
  zoneObject,
} from './fleet-objects.ts'
import { placePod } from './hosts.ts'
import { setupBrowser } from './setup.ts'

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>alert(1)</script>`

function hostileNode(name: string): Node {
  const now = formatTime(Date.now())
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: now }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'topology.kubernetes.io/zone': 'zone-a', 'topology.kubernetes.io/region': 'local' },
    },
    status: {
      conditions: [{ ...ready, reason: HOSTILE, message: HOSTILE }],
      addresses: [{ type: HOSTILE, address: HOSTILE }],
    },
  }
}

const { server, folder, open, expectFailedRequests } = setupBrowser()

async function draw(zones: readonly ZoneFixture[]): Promise<void> {
  for (const zone of zones) {
    for (const part of cellsObjects(zone)) await server().put('cells', part)
    await server().put('zones', zoneObject(zone, Date.now()))
  }
}

beforeAll(async () => {
  const sinceMs = Date.now() - 130_000
  await draw([
    {
      zone: 'zone-a',
      cells: cellsFixture('a', 40, (at) => (at === 3 ? 'cordoned' : 'ready'), sinceMs),
    },
    {
      zone: 'zone-b',
      state: 'FullDisruption',
      cells: cellsFixture('b', 40, (at) => (at < 4 ? 'evicting' : 'unknown'), sinceMs),
    },
  ])
  await server().put('fleets', fleetObject({}, []))
  await server().put('nodes', hostileNode('a-host-0001'))
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe('signing in', () => {
  it('refuses a wrong token in words, and keeps the address for after the right one', async () => {
    expectFailedRequests()
    const page = await open('/?node=a-host-0001', 'wrong')
    await says(page, 'The server does not accept this token.')
    await page.getByLabel('Token').fill('admin')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'a-host-0001' }).waitFor()
    expect(new URL(page.url()).search).toBe('?node=a-host-0001')
  })

  it('keeps the token in this tab only, and forgets it at sign-out', async () => {
    const page = await open('/')
    await says(page, 'nodes are not ready')
    await page.reload()
    await says(page, 'nodes are not ready')
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  it('leads back to the login when the token ends, without losing the place', async () => {
    expectFailedRequests()
    server().callers.set('short', server().callers.get('admin')!)
    const page = await open('/?state=unknown', 'short')
    await says(page, '36 nodes match')
    server().callers.delete('short')
    await says(page, 'Your token is no longer valid')
    await page.getByLabel('Token').fill('admin')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await says(page, '36 nodes match')
    expect(new URL(page.url()).search).toBe('?state=unknown')
  })
})

describe('the fleet', () => {
  it('says what is wrong, where, since when and what comes next', async () => {
    const page = await open('/')
    await says(page, '40 of 80 nodes are not ready.')
    const summary = await page.getByRole('region', { name: 'Summary' }).textContent()
    expect(summary).toMatch(/In zone-b \(40 of 40\)\. Since .* \(2 min \d+ s ago\)/)
    const zone = await page.getByRole('region', { name: 'Zone zone-b' }).textContent()
    expect(zone).toMatch(/FullDisruption for 1 min \d+ s.*40 of 40 down, 100 %.*from 55 %/)
    expect(zone).toMatch(/36 nodes to be evicted: the next (now|in \d+ s), then one every 10 s/)
  })

  it('shows a zone under one name from the start, however late the zones come', async () => {
    const page = await open('/', '')
    const zones = Promise.withResolvers<void>()
    await page.route('**/apis/leasehold.dev/v1/zones*', async (route) => {
      await zones.promise
      await route.continue()
    })
    const watching = page.waitForRequest(/cells\?.*watch=true/)
    await signIn(page, 'admin')
    // The nodes are there by then.
    await watching
    expect(await page.getByText('local.zone-b').count()).toBe(0)
    zones.resolve()
    await page.getByRole('region', { name: 'Zone zone-b' }).waitFor()
  })

  it('keeps its filter in the URL, and back takes it back', async () => {
    const page = await open('/')
    await page.getByRole('button', { name: /^Evicting/ }).click()
    await says(page, '4 nodes match')
    await page.getByLabel('Zone', { exact: true }).selectOption('local.zone-a')
    await says(page, 'No node matches the filter.')
    expect(new URL(page.url()).search).toBe('?zone=local.zone-a&state=evicting')
    await page.goBack()
    await says(page, '4 nodes match')
  })

  it('filters by labels, which only the server knows', async () => {
    const page = await open('/')
    await page.getByLabel('Label selector').fill('topology.kubernetes.io/zone=zone-a')
    await says(page, '1 node matches')
    await page.getByLabel('Label selector').fill('a in (')
    await says(page, /unable to parse requirement/)
  })

  it('shows a node under the pointer, and opens it with a click', async () => {
    const page = await open('/')
    const cells = page.getByRole('listbox', { name: /Nodes of zone-a/ }).locator('canvas')
    await cells.hover({ position: { x: 10, y: 10 } })
    await says(page, 'has no lease')
    expect(await page.locator('.tip').textContent()).toMatch(/^a-host-0001Ready for 2 min/)
    await cells.click({ position: { x: 10, y: 10 } })
    await page.getByRole('heading', { name: 'a-host-0001' }).waitFor()
  })

  it('can be walked by keyboard alone', async () => {
    const page = await open('/')
    await says(page, '40 of 80')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    const list = page.getByRole('listbox', { name: /Nodes of zone-a/ })
    while (!(await list.evaluate((element) => element.matches(':focus'))))
      await page.keyboard.press('Tab')
    await page.keyboard.press('End')
    expect(await list.getByRole('option').textContent()).toBe('a-host-0040, Ready')
    await page.keyboard.press('Home')
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
    expect(await list.getByRole('option').textContent()).toBe('a-host-0004, Cordoned')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'a-host-0001' }).waitFor()
  })

  it('fits a phone, and can be used with a thumb', async () => {
    const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
    const page = await open('/', 'admin', phone)
    await says(page, '40 of 80')
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await page.getByRole('link', { name: 'b-host-0001' }).tap()
    await says(page, 'There is no node b-host-0001.')
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })

  it('draws in the colours of the theme, and again when it changes', async () => {
    const page = await open('/', 'admin', { colorScheme: 'dark', reducedMotion: 'reduce' })
    await says(page, '40 of 80')
    const picture = () => page.evaluate("document.querySelector('canvas').toDataURL()")
    const dark = await picture()
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(picture).not.toBe(dark)
  })
})

describe('a pod whose time runs out', () => {
  const name = 'doomed'
  const since = (agoMs: number) => Date.now() - agoMs
  const pause = (untilMs?: number) => ({
    fromMs: since(60_000),
    why: 'upgrade',
    ...(untilMs && { untilMs }),
  })

  it('is not said to go while evictions are paused, and later by as long as they were', async () => {
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' as const }
    const timeAdded = formatTime(since(100_000))
    const tainted: Node = {
      ...hostileNode(name),
      spec: { taints: [{ ...taint, timeAdded }] },
    }
    await server().put('nodes', tainted)
    await placePod(server(), name, 'web-1', 130)
    const pod = await server().call<Pod>('GET', '/api/v1/namespaces/default/pods/web-1')
    const due = { startedAtMs: since(100_000), dueAtMs: Date.now() + 30_000 }
    const creationTimestamp = formatTime(since(200_000))
    const older = { ...pod, metadata: { ...pod.metadata, creationTimestamp } }
    await server().put('pods', withCountdown(older, due))
    await server().put('fleets', fleetObject({ stops: [pause()] }, []))
    const page = await open(`/?node=${name}`)
    await says(page, /^held back, 1 min \d+ s left/)
    await says(page, 'Held back: Evictions are paused for the whole fleet.')
    await server().put('fleets', fleetObject({ stops: [pause(Date.now())] }, []))
    await says(page, /^deleted in 1 min \d+ s/)
    await server().put('fleets', fleetObject({}, []))
  })
})

describe('hostile text', () => {
  it('is text, wherever it comes from', async () => {
    await server().call('POST', '/api/v1/namespaces/default/events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: 'hostile-' },
      reason: 'Bad',
      message: HOSTILE,
      involvedObject: { kind: 'Node', name: 'a-host-0001', apiVersion: 'v1' },
      lastTimestamp: formatTime(Date.now()),
    })
    const page = await open('/?node=a-host-0001')
    await page.getByRole('heading', { name: 'a-host-0001' }).waitFor()
    await expect.poll(() => page.getByText(HOSTILE).count()).toBeGreaterThanOrEqual(4)
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.title()).toBe('a-host-0001 · Leasehold')
  })
})

describe('those who may only look', () => {
  it('are not offered what would be refused', async () => {
    const page = await open('/?node=a-host-0001', 'viewer')
    await says(page, 'What happens next')
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    await says(page, /^rule [a-z-]+$/)
    expect(await page.getByRole('button').allTextContents()).toEqual(['Sign out'])
  })
})

describe('the connection', () => {
  it('is said to be lost while it is, and comes back by itself', async () => {
    expectFailedRequests()
    const page = await open('/')
    await says(page, '40 of 80')
    await server().stop()
    await says(page, 'Connection lost.')
    await says(page, /What you see is [1-9]\d* s old/)
    expect(await heading(page)).toBe('40 of 80 nodes are not ready.')
    await server().restart()
    await page.getByText('Connection lost.').waitFor({ state: 'detached' })
    await says(page, 'live')
  })
})

it('all files together are far below 120 KB as they are sent', () => {
  const names = readdirSync(folder(), { recursive: true, encoding: 'utf8' })
  const sent = names.filter((name) => name.endsWith('.gz'))
  const bytes = sent.reduce((sum, name) => sum + statSync(join(folder(), name)).size, 0)
  console.log(`dashboard: ${(bytes / 1024).toFixed(1)} KB with gzip`)
  expect(sent.length).toBeGreaterThanOrEqual(4)
  expect(bytes).toBeLessThan(60 * 1024)
})
