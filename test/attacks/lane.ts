/**
 * `npm run test:attacks`: finding 1 with real processes. Local mode with a grace of ten seconds is
 * attacked over HTTPS for a minute in each of three ways, by a node and by a lease user at once; in
 * each minute one host dies and must be Unknown in time, and no living host may be marked.
 */
import { ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { type DataFolder, dataFolder } from '../../local/data-folder.ts'
import { fileSigner } from '../../local/keys.ts'
import { defaultIssuerAudience, type KeyRole } from '../../shared/auth/tokens/claims.ts'
import { signToken } from '../../shared/auth/tokens/signer.ts'
import { lane } from '../deployed/lane.ts'
import { endProcess, startLocalProcess } from '../local-system/child-process.ts'
import { type HttpsClient, httpsClient } from '../local-system/https-client.ts'

const FOUND_MS = 12_000
const BEAT_MS = 2_000
const ATTACK_MS = 60_000
const DEATH_MS = 15_000
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
const LOCKS = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const MERGE = 'application/merge-patch+json'

interface Caller {
  readonly client: HttpsClient
  readonly token: string
  readonly path: string
}

interface Host extends Caller {
  readonly name: string
  isUp: boolean
  beatAtMs: number
}

interface Place {
  readonly data: DataFolder
  readonly server: string
  readonly caPem: string
  readonly admin: HttpsClient
}

interface Play {
  readonly name: string
  readonly attack: Attack
  readonly attackers: readonly Caller[]
  readonly hosts: readonly Host[]
  readonly mortal: Host
}

async function playAttack({ admin, server, caPem }: Place, play: Play): Promise<void> {
  const { name, attack, attackers, hosts, mortal } = play
  const untilMs = Date.now() + ATTACK_MS
  const statuses = new Map<number, number>()
  const attacking = attackers.map(async (attacker) => {
    while (Date.now() < untilMs) {
      const [answers] = await Promise.all([attack({ server, caPem, attacker }), sleep(1_000)])
      for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  await sleep(DEATH_MS)
  mortal.isUp = false
  const diedAtMs = mortal.beatAtMs
  while ((await readyOf(admin, mortal)) !== 'Unknown' && Date.now() < untilMs) await sleep(100)
  const foundMs = Date.now() - diedAtMs
  await Promise.all(attacking)
  const told = [...statuses].map(([status, count]) => `${count} x ${status || 'cut off'}`)
  console.log(`${name}: Unknown ${foundMs} ms after its last beat; answers ${told.join(', ')}`)
  ok(foundMs <= FOUND_MS, `${mortal.name} was found after ${foundMs} ms`)
  for (const host of hosts.filter(({ isUp }) => isUp)) {
    ok((await readyOf(admin, host)) === 'True', `${host.name} lives and is marked`)
  }
}

// ---- attacks ------------------------------------------------------------------------------------

interface Attacked {
  readonly server: string
  readonly caPem: string
  readonly attacker: Caller
}
type Attack = (attacked: Attacked) => Promise<readonly number[]>

let patches = 0
const micro = () =>
  new Date().toISOString().replace('Z', `${String(++patches % 1_000).padStart(3, '0')}Z`)

const patch = async ({ client, path }: Caller, holderIdentity: string) => {
  const body = { spec: { holderIdentity, renewTime: micro() } }
  return (await client.call('PATCH', path, { body, type: MERGE })).status
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a holder of 250 KB': async ({ attacker }) => [await patch(attacker, 'x'.repeat(250 * 1024))],
  '45 patches of its lease at once': ({ attacker }) =>
    Promise.all(Array.from({ length: 45 }, () => patch(attacker, 'attacker'))),
  'a body that is announced and never sent': (attacked) =>
    Promise.all(Array.from({ length: 4 }, () => announce(attacked))),
}

/** Sends the head of a request, and goes away. */
function announce({ server, caPem, attacker }: Attacked): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const headers = {
    authorization: `Bearer ${attacker.token}`,
    'content-type': MERGE,
    'content-length': '100',
  }
  const sent = request(new URL(attacker.path, server), { method: 'PATCH', ca: caPem, headers })
  sent.on('response', ({ statusCode = 0 }) => resolve(statusCode))
  sent.on('error', () => resolve(0))
  sent.flushHeaders()
  setTimeout(() => sent.destroy(), 3_000)
  return promise
}

// ---- hosts and people ---------------------------------------------------------------------------

async function joinHost(place: Place, name: string): Promise<Host> {
  const { admin } = place
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } }
  const made = await admin.call('POST', '/api/v1/nodes', { body: node })
  ok(made.status === 201, made.text)
  const status = { status: { conditions: [ready] } }
  await admin.call('PATCH', `/api/v1/nodes/${name}/status`, { body: status, type: MERGE })
  const { uid } = made.body.metadata
  const user = { user: `system:node:${name}`, groups: ['system:nodes'], nodeUid: uid }
  const caller = await callerOf(place, 'node', user, `${LEASES}/${name}`)
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid }
  const lease = leaseOf({ name, namespace: 'kube-node-lease', ownerReferences: [owner] }, name)
  const created = await caller.client.call('POST', LEASES, { body: lease })
  ok(created.status === 201, created.text)
  return { ...caller, name, isUp: true, beatAtMs: Date.now() }
}

async function leaseUser(place: Place): Promise<Caller> {
  const user = { user: 'lena', groups: ['leasehold:lease-users:default'] }
  const caller = await callerOf(place, 'admin', user, `${LOCKS}/lock`)
  const body = leaseOf({ name: 'lock', namespace: 'default' }, 'attacker')
  const created = await caller.client.call('POST', LOCKS, { body })
  ok(created.status === 201, created.text)
  return caller
}

const leaseOf = (metadata: object, holderIdentity: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata,
  spec: { holderIdentity, leaseDurationSeconds: 40, renewTime: micro() },
})

interface User {
  readonly user: string
  readonly groups: readonly string[]
  readonly nodeUid?: string
}

async function callerOf(
  { data, server, caPem }: Place,
  role: KeyRole,
  user: User,
  path: string,
): Promise<Caller> {
  const { token } = await signToken(await fileSigner(data, role), {
    ...defaultIssuerAudience,
    ...user,
    lifetimeSeconds: 3_600,
    tokenId: randomUUID(),
    nowMs: Date.now(),
  })
  return { client: httpsClient({ server, caPem, token }), token, path }
}

/** A beat that is refused, or meets a busy machine, is followed by the next. */
async function beat(host: Host): Promise<void> {
  if (!host.isUp) return
  const sentAtMs = Date.now()
  const status = await patch(host, host.name)
  if (status === 200) host.beatAtMs = sentAtMs
}

async function readyOf(admin: HttpsClient, { name }: Host): Promise<string | undefined> {
  const { body } = await admin.call('GET', `/api/v1/nodes/${name}`)
  const conditions = (body.status?.conditions ?? []) as { type: string; status: string }[]
  return conditions.find(({ type }) => type === 'Ready')?.status
}

await lane('test:attacks', async ({ add }) => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-attacks-'))
  await add('folder', () => ({ stop: async () => rmSync(folder, { recursive: true }) }))
  const local = startLocalProcess(folder, '--node-monitor-grace-period', '10s')
  await add('local mode', () => ({ stop: async () => void (await endProcess(local.child)) }))
  const server = await local.address()
  const data = dataFolder(folder)
  const caPem = readFileSync(data.caCert, 'utf8')
  const admin = httpsClient({ server, caPem, token: await adminToken(data, Date.now()) })
  const place = { data, server, caPem, admin }

  const names = [...Object.keys(ATTACKS).map((_, at) => `mortal-${at}`), 'a', 'b', 'c', 'attacker']
  const hosts = await Promise.all(names.map((name) => joinHost(place, name)))
  const beating = setInterval(() => void Promise.all(hosts.map(beat)), BEAT_MS)
  await add('beats', () => ({ stop: async () => clearInterval(beating) }))
  const attackers = [hosts.at(-1)!, await leaseUser(place)]
  for (const [at, [name, attack]] of Object.entries(ATTACKS).entries()) {
    await playAttack(place, { name, attack, attackers, hosts, mortal: hosts[at]! })
  }
})
