/**
 * `node test/browser/screenshots.ts`: the pictures in docs/, taken from a running local mode in which
 * a zone has just fallen silent. Nothing in them is drawn by hand.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { buildWhenStale } from '../../dashboard/build.ts'
import { launch, newPage, signIn } from './browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** As in an install, but with short times: a picture need not wait five minutes. */
const FLAGS = [
  ...['--nodes', '96', '--pods', '0', '--zones', '4', '--port', '0', '--dashboard-port', '0'],
  ...['--node-monitor-period', '1s', '--node-monitor-grace-period', '20s'],
  ...['--node-eviction-settle', '3s', '--node-eviction-rate', '0.5'],
]
const HURT = 'zone-b'
const TIMEOUT_MS = 90_000

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
  const args = [join(root, 'local/hosts/main.ts'), verb, HURT, '--data', data]
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`could not ${verb} ${HURT}`)
}

const tokenIn = (data: string): string =>
  JSON.parse(readFileSync(join(data, 'kubeconfig'), 'utf8')).users[0].user.token

/** Something to evict: one that leaves soon and one that has the usual five minutes. */
async function placePods(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = async (path: string, body?: unknown) => {
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await fetch(`${url}${path}`, { ...init, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const selector = encodeURIComponent(`topology.kubernetes.io/zone=${HURT}`)
  const { items } = (await call(`/api/v1/nodes?labelSelector=${selector}`)) as {
    items: { metadata: { name: string } }[]
  }
  for (const { metadata } of items)
    for (const pod of podsFor(metadata.name)) await call('/api/v1/namespaces/default/pods', pod)
}

function podsFor(nodeName: string) {
  const pod = (name: string, tolerationSeconds: number) => ({
    metadata: { name: `${name}-${nodeName}`, namespace: 'default' },
    spec: {
      nodeName,
      containers: [{ name: 'main', image: 'shop' }],
      tolerations: [
        {
          key: 'node.kubernetes.io/unreachable',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds,
        },
      ],
    },
  })
  return [pod('web', 60), pod('database', 300)]
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(root, 'docs', `dashboard-${name}.png`) })
  console.log(`docs/dashboard-${name}.png`)
}

async function shoot(page: Page, data: string): Promise<void> {
  await tellHosts(data, 'stop')
  await page.getByText('24 of 96 nodes are not ready.').waitFor({ timeout: TIMEOUT_MS })
  await page
    .getByRole('link', { name: /^host-/ })
    .first()
    .waitFor()
  // A few have had their turn, the others wait for theirs.
  await page
    .getByRole('button', { name: /^Evicting (?:[5-9]|1\d)$/ })
    .waitFor({ timeout: TIMEOUT_MS })
  await take(page, 'fleet')
  await page
    .getByRole('link', { name: /^host-/ })
    .first()
    .click()
  await page
    .getByText(/^deleted in/)
    .first()
    .waitFor()
  await page.getByText('NodeTainted').first().waitFor()
  await take(page, 'node')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('NodeNotReady').first().waitFor()
  await take(page, 'activity')
}

await buildWhenStale()
const data = mkdtempSync(join(tmpdir(), 'leasehold-pictures-'))
const { child, url } = await startLocal(data)
const browser = await launch()
try {
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 860 } })
  await page.goto(url)
  await signIn(page, tokenIn(data))
  await page.getByText('All 96 nodes are ready.').waitFor({ timeout: TIMEOUT_MS })
  await placePods(url, tokenIn(data))
  await shoot(page, data)
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(data, { recursive: true, force: true })
}
