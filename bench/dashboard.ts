/**
 * Does the page stay quick with a big fleet? 10,000 nodes against 1,000 and against none, in a
 * real browser without a GPU: from the data's arrival to the last cell drawn, and frames a second
 * while a tenth of the fleet changes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { buildDashboard } from '../dashboard/build.ts'
import { launch, newPage, signIn } from '../test/browser/browser.ts'
import {
  cellsFixture,
  cellsObjects,
  fleetObject,
  zoneObject,
} from '../test/browser/fleet-objects.ts'
import { startTestServer, type TestServer } from '../test/browser/test-server.ts'
import { type Bench, median, printTable } from './bench.ts'

const ZONES = ['a', 'b', 'c', 'd', 'e']
const ROUNDS = 3
const CHANGED_PER_ZONE = 200

interface Look {
  readonly nodes: number
  readonly kilobytes: number
  /** From navigation until the page says what it found. */
  readonly readyMs: number
  /** From the last byte of the cells until the last of them is drawn. */
  readonly paintMs: number
}

export const bench: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'))
  const browser = await launch()
  try {
    await buildDashboard(folder)
    const [none, small, big] = [
      await measure(browser, folder, 0),
      await measure(browser, folder, 1_000),
      await measure(browser, folder, 10_000),
    ]
    const frames = await framesWhileChanging(browser, folder)
    printTable([none, small, big].map(rowOf))
    console.log(`frames a second: ${frames.idle} at rest, ${frames.busy} while 1,000 nodes change`)
    return [
      {
        name: 'first look at 10,000 nodes / empty page',
        ratio: big.readyMs / none.readyMs,
        budget: 4,
      },
      // Ten times the nodes; most of the time is spent on what does not grow with them.
      { name: 'drawing 10,000 nodes / 1,000', ratio: big.paintMs / small.paintMs, budget: 4 },
      { name: 'initial data / 400 KB', ratio: big.kilobytes / 400, budget: 1 },
      { name: 'frames at rest / while 1,000 change', ratio: frames.idle / frames.busy, budget: 2 },
    ]
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const rowOf = ({ nodes, kilobytes, readyMs, paintMs }: Look) => ({
  nodes,
  'data KB (gzip)': kilobytes.toFixed(0),
  'first look ms': readyMs.toFixed(0),
  'arrived to drawn ms': paintMs.toFixed(0),
})

async function measure(browser: Browser, folder: string, nodes: number): Promise<Look> {
  const server = await startTestServer(folder)
  try {
    await fill(server, nodes, 0)
    const rounds: { readyMs: number; paintMs: number }[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await look(browser, server))
    return {
      nodes,
      kilobytes: await compressedKilobytes(server),
      readyMs: median(rounds.map(({ readyMs }) => readyMs)),
      paintMs: median(rounds.map(({ paintMs }) => paintMs)),
    }
  } finally {
    await server.stop()
  }
}

/** `changed` nodes of each zone have fallen silent. */
async function fill(server: TestServer, nodes: number, changed: number): Promise<void> {
  const sinceMs = Date.now() - 60_000
  for (const zone of nodes === 0 ? [] : ZONES) {
    const stateOf = (at: number) => (at < changed ? 'unknown' : 'ready')
    const drawn = { zone, cells: cellsFixture(zone, nodes / ZONES.length, stateOf, sinceMs) }
    for (const part of cellsObjects(drawn)) await server.put('cells', part)
    await server.put('zones', zoneObject(drawn, Date.now()))
  }
  await server.put('fleets', fleetObject({}, []))
}

async function compressedKilobytes(server: TestServer): Promise<number> {
  const lists = await Promise.all(
    ['cells', 'zones', 'fleets'].map((name) =>
      server.call('GET', `/apis/leasehold.dev/v1/${name}`),
    ),
  )
  // At the level the api uses.
  const bytes = lists.map((list) => gzipSync(JSON.stringify(list), { level: 1 }).length)
  return bytes.reduce((sum, size) => sum + size, 0) / 1024
}

/**
 * Runs in the page before its own code: notes when a canvas was last given its size, which is when
 * it is drawn.
 */
const NOTE_DRAWING = `
  window.drawnAt = 0
  new MutationObserver((changes) => {
    const isDrawn = changes.some(({ target }) => target.tagName === 'CANVAS')
    if (isDrawn) window.drawnAt = performance.now()
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['width'] })`

const ARRIVED = `performance.getEntriesByType('resource')
  .findLast(({ name }) => name.endsWith('/cells')).responseEnd`

async function look(browser: Browser, server: TestServer) {
  const { page } = await newPage(browser)
  await page.goto(server.url)
  await signIn(page, 'admin')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The second time as a returning user: signed in, files in the cache.
  await page.addInitScript(NOTE_DRAWING)
  await page.reload()
  await page.getByRole('region', { name: 'Summary' }).waitFor()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  const arrivedMs = await page.evaluate<number>(ARRIVED)
  const drawnMs = Math.max(arrivedMs, await page.evaluate<number>('window.drawnAt'))
  await page.context().close()
  return { readyMs: drawnMs, paintMs: drawnMs - arrivedMs }
}

async function framesWhileChanging(browser: Browser, folder: string) {
  const server = await startTestServer(folder)
  try {
    await fill(server, 10_000, 0)
    const { page } = await newPage(browser)
    await page.goto(server.url)
    await signIn(page, 'admin')
    await page.getByText('All 10,000 nodes are ready.').waitFor()
    const idle = await framesASecond(page, async () => {})
    const busy = await framesASecond(page, () => fill(server, 10_000, CHANGED_PER_ZONE))
    await page.getByText('1,000 of 10,000 nodes are not ready.').waitFor()
    return { idle, busy }
  } finally {
    await server.stop()
  }
}

const COUNT_FRAMES = `new Promise((done) => {
  let frames = 0
  const end = performance.now() + 2000
  const next = () => {
    frames += 1
    performance.now() < end ? requestAnimationFrame(next) : done(frames / 2)
  }
  requestAnimationFrame(next)
})`

async function framesASecond(page: Page, meanwhile: () => Promise<void>): Promise<number> {
  const [frames] = await Promise.all([page.evaluate<number>(COUNT_FRAMES), meanwhile()])
  return frames
}
