/**
 * `node dashboard/screenshots.ts`: the pictures in docs/, taken from a running local mode in which a zone has just
 * fallen silent. Nothing in them is drawn by hand.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launch, newPage, signIn } from '../test/browser/browser.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** As in an install, only quicker: nobody waits five minutes for a picture. */
const FLAGS = [
  ...['--nodes', '240', '--zones', '4', '--port', '0', '--dashboard-port', '0'],
  ...['--node-monitor-period', '1s', '--node-monitor-grace-period', '10s'],
  ...['--node-eviction-settle', '3s', '--node-eviction-rate', '0.5'],
]
const HURT = 'zone-b'

async function startLocal(data: string): Promise<{ child: ChildProcess; url: string }> {
  const args = [join(root, 'local/main.ts'), ...FLAGS, '--data', data]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout! })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (url) return { child, url }
  }
  throw new Error('local mode ended before it said where its page is')
}

async function tellHosts(data: string, verb: string): Promise<void> {
  const args = [join(root, 'local/hosts.ts'), verb, HURT, '--data', data]
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`could not ${verb} ${HURT}`)
}

const tokenIn = (data: string): string => {
  const [, token] =
    /token: "?([\w.-]+)"?/.exec(readFileSync(join(data, 'kubeconfig'), 'utf8')) ?? []
  if (!token) throw new Error('there is no token in the kubeconfig')
  return token
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(root, 'docs', `dashboard-${name}.png`) })
  console.log(`docs/dashboard-${name}.png`)
}

async function shoot(page: Page, data: string): Promise<void> {
  await page.getByText('All 240 nodes are ready.').waitFor({ timeout: 60_000 })
  await tellHosts(data, 'stop')
  await page.getByText('60 of 240 nodes are not ready.').waitFor({ timeout: 60_000 })
  await page
    .getByRole('link', { name: /^host-/ })
    .first()
    .waitFor()
  // A few have had their turn, the others wait for theirs.
  await page.getByRole('button', { name: /^Evicting (?:[6-9]|1\d)$/ }).waitFor({ timeout: 60_000 })
  await take(page, 'fleet')
  await page
    .getByRole('link', { name: /^host-/ })
    .first()
    .click()
  await page.getByText('What happens next').waitFor()
  await page.getByText('NodeStatusUnknown').first().waitFor()
  await take(page, 'node')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('NodeNotReady').first().waitFor()
  await take(page, 'activity')
}

const data = mkdtempSync(join(tmpdir(), 'leasehold-pictures-'))
const { child, url } = await startLocal(data)
const browser = await launch()
try {
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 860 } })
  await page.goto(url)
  await signIn(page, tokenIn(data))
  await shoot(page, data)
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(data, { recursive: true, force: true })
}
