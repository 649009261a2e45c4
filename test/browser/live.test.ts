/**
 * The page over a fleet that lives and dies: real monitor, real beats, seconds instead of minutes.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Fleet } from '../../shared/kube/fleet/resource.ts'
import type { Node } from '../../shared/kube/objects.ts'
import { REFUSED_BEATS_PREFIX, type RefusedBeats } from '../../shared/lifecycle/record-names.ts'
import { type Hosts, placePod, startHosts } from './hosts.ts'
import { setupBrowser } from './setup.ts'

const run = promisify(execFile)
const SETTINGS = {
  nodeMonitorPeriodMs: 500,
  nodeMonitorGracePeriodMs: 2_500,
  nodeLeaseRenewIntervalMs: 500,
  nodeEvictionSettleMs: 500,
  nodeEvictionRate: 2,
}

const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const zone = (page: Page, name: string) => page.getByRole('region', { name: `Zone ${name}` })

/** These run in order, each on the fleet that the one before left. */
const { server, open, expectFailedRequests } = setupBrowser()

let hosts: Hosts
let endMonitor: () => Promise<void>

beforeAll(async () => {
  hosts = await startHosts(server(), { zones: ['zone-a', 'zone-b'], perZone: 6, beatMs: 500 })
  await placePod(server(), 'zone-b-host-01', 'web-1', 4)
  endMonitor = server().monitor(SETTINGS)
})
afterAll(async () => {
  hosts?.stop()
  await endMonitor?.()
})

it('cordons by a click that kubectl sees, and shows what kubectl does', async () => {
  const page = await open('/?node=zone-a-host-01', 'operator')
  await page.getByRole('button', { name: 'Cordon' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click()
  await page.getByRole('button', { name: 'Uncordon' }).waitFor()
  const flags = await server().kubectlFlags()
  const seen = await run('kubectl', [...flags, 'get', 'node', 'zone-a-host-01', '--no-headers'])
  expect(seen.stdout).toContain('SchedulingDisabled')
  await run('kubectl', [...flags, 'uncordon', 'zone-a-host-01'])
  await page.getByRole('button', { name: 'Cordon', exact: true }).waitFor()
})

it('shows the reason when an action is refused', async () => {
  expectFailedRequests()
  const page = await open('/?node=zone-a-host-02')
  await page.getByRole('button', { name: 'Delete' }).click()
  // As if the node had been deleted meanwhile and another registered under its name.
  await page.route('**/api/v1/nodes/**', async (route) => {
    const body = { preconditions: { uid: 'another' } }
    await route.continue({ postData: JSON.stringify(body) })
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await says(page, /^Refused: .*uid/i)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'zone-a-host-02' }).waitFor()
})

it('pauses evictions with a reason that every user sees, and resumes them', async () => {
  const page = await open('/')
  await page.getByRole('button', { name: 'Pause evictions in zone-b' }).click()
  await page.getByLabel('Why?').fill('swapping a switch')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await zone(page, 'zone-b').getByText('Evictions are paused here: swapping a switch.').waitFor()
  await page.getByRole('button', { name: 'Resume evictions in zone-b' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause evictions in zone-b' }).waitFor()
})

it('says that evictions are paused everywhere, with the switch beside it', async () => {
  const page = await open('/?view=activity')
  const path = '/apis/leasehold.dev/v1/fleets/fleet'
  const pause = (reason: string | null) =>
    server().call<Fleet>('PATCH', path, {
      metadata: { annotations: { 'leasehold.dev/evictions-paused': reason } },
    })
  await pause('upgrade night')
  await says(page, 'Reason: upgrade night')
  await page.getByRole('button', { name: 'Resume evictions in the whole fleet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Evictions are paused').waitFor({ state: 'detached' })
  const { metadata } = await server().call<Fleet>('GET', path)
  expect(metadata.annotations?.['leasehold.dev/evictions-paused']).toBeUndefined()
})

/** As the api records that it had to refuse beats: of three hosts, which are a quarter of them. */
async function sayRefused(atMs: number): Promise<void> {
  const { records, commit } = server().store
  const name = `${REFUSED_BEATS_PREFIX}test`
  const hosts = ['zone-a-host-01', 'zone-b-host-01', 'zone-b-host-02']
  const value: RefusedBeats = { nodes: Object.fromEntries(hosts.map((host) => [host, { atMs }])) }
  const believed = (await records.get(name))?.version
  await commit([{ do: 'putRecord', name, value, believed }])
}

it('says that the monitor doubts itself, and that no clock runs meanwhile', async () => {
  const [node, fleet] = [await open('/?node=zone-a-host-01'), await open('/')]
  await says(fleet, 'All 12 nodes are ready.')
  await sayRefused(Date.now() + 60_000)
  hosts.silence('zone-a')
  await Promise.all([
    says(fleet, 'The monitor doubts what it sees.'),
    says(fleet, /^Since [\d:]+ \(.*\)\. The api had to refuse beats\. Nobody is marked/),
    zone(fleet, 'zone-b').getByText('Nobody is evicted').waitFor(),
    // Longer than its grace.
    says(
      node,
      /^Last beat ([3-9]|\d\d) s ago\. No clock runs while the monitor doubts what it sees/,
    ),
    says(node, 'not now'),
  ])
  hosts.wake('zone-a')
  await sayRefused(Date.now() - SETTINGS.nodeMonitorGracePeriodMs)
  await fleet.getByText('The monitor doubts').first().waitFor({ state: 'detached' })
  await says(fleet, 'All 12 nodes are ready.')
})

it('shows a zone falling silent, up to the eviction of a pod on one of its nodes', async () => {
  const [node, fleet] = [await open('/?node=zone-b-host-01'), await open('/')]
  await says(node, 'Nothing while it keeps beating. If it fell silent now:')
  await says(node, /^Last beat (just now|\d+ s ago)\. Without another it is declared Unknown at/)
  await says(fleet, 'All 12 nodes are ready.')
  hosts.silence('zone-b')
  await Promise.all([
    says(fleet, '6 of 12 nodes are not ready.'),
    zone(fleet, 'zone-b').getByText('FullDisruption').waitFor(),
    zone(fleet, 'zone-a').getByText('Normal').waitFor(),
    says(node, 'NodeStatusUnknown'),
    says(node, /deleted in \d s/),
  ])
  await says(node, 'Terminating, until the host confirms')
})

it('says why no pod is evicted when every zone is down, and finds the way back', async () => {
  const page = await open('/')
  hosts.silence('zone-a')
  await says(page, 'Every zone is down at once. Evictions are stopped.')
  await says(page, 'None of 12 nodes is ready.')
  hosts.wake('zone-a')
  hosts.wake('zone-b')
  await says(page, 'All 12 nodes are ready.')
  await page.getByText('Evictions are stopped.').waitFor({ state: 'detached' })
})

it('tells in observe mode what it sees, and that it changes nothing', async () => {
  await endMonitor()
  endMonitor = server().monitor({ ...SETTINGS, observe: true })
  const [node, fleet] = [await open('/?node=zone-b-host-02'), await open('/')]
  await says(fleet, 'Observe mode.')
  await says(fleet, 'All 12 nodes are ready.')
  hosts.silence('zone-b')
  await Promise.all([
    says(fleet, '6 of 12 nodes are not ready.'),
    says(fleet, 'Observe mode leaves 6 of them unmarked.'),
    zone(fleet, 'zone-b').getByText('FullDisruption').waitFor(),
    zone(fleet, 'zone-b').getByText('Observe mode: nobody is evicted.').waitFor(),
    says(node, /only observe mode keeps it from being Unknown/),
    says(node, /^Ready since .*: it said so, and has been silent since/),
  ])
  expect(await node.locator('.next .when').allTextContents()).toEqual(['not now', 'not now'])
  const { spec, status } = await server().call<Node>('GET', '/api/v1/nodes/zone-b-host-02')
  expect(status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'True' })
  expect(spec?.taints ?? []).toEqual([])
})
