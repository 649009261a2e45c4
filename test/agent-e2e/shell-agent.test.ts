import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { BOOTSTRAP, LEASE, NODE, type SmallServer, smallServer } from '../agent/small-server.ts'
import { eventually } from '../eventually.ts'

let server: SmallServer
let folder = ''
let child: ChildProcess | undefined
beforeEach(async () => {
  server = await smallServer()
  folder = mkdtempSync(join(tmpdir(), 'leasehold-sh-'))
})
afterEach(async () => {
  // Its own group: the sleep it waits for goes with it.
  if (child?.pid) process.kill(-child.pid, 'SIGKILL')
  await server.stop()
  rmSync(folder, { recursive: true })
})

function start(more: Readonly<Record<string, string | undefined>> = {}): void {
  child = spawn('sh', ['agent/sh/leasehold-agent.sh'], {
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      LEASEHOLD_SERVER: server.url,
      LEASEHOLD_BOOTSTRAP_TOKEN: BOOTSTRAP,
      LEASEHOLD_NODE_NAME: 'a',
      LEASEHOLD_ZONE: 'z1',
      LEASEHOLD_STATE_DIR: folder,
      LEASEHOLD_LEASE_SECONDS: '1',
      ...more,
    },
  })
}

describe('the shell agent', () => {
  it('joins, registers and beats with one request and no read', async () => {
    start({ LEASEHOLD_REGION: 'r1' })
    await eventually('two beats', () => server.count('PATCH', /leases/) >= 2)
    const node = server.objects.get(NODE) as Node
    const lease = server.objects.get(LEASE) as Lease
    expect(node.metadata.labels?.['topology.kubernetes.io/zone']).toBe('z1')
    expect(node.metadata.labels?.['topology.kubernetes.io/region']).toBe('r1')
    expect(node.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
    expect(lease.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid)
    expect(lease.spec?.holderIdentity).toMatch(/^a_/)
    expect(lease.spec?.renewTime).toMatch(/\.\d{6}Z$/)
    expect(server.count('GET')).toBe(0)
    expect(statSync(join(folder, 'token')).mode & 0o777).toBe(0o600)
  })

  it('registers again when its Node is gone', async () => {
    start()
    await eventually('a beat', () => server.count('PATCH', /leases/) >= 1)
    server.objects.clear()
    server.tokens.clear()
    server.tokens.set(BOOTSTRAP, 'bootstrap')
    await eventually('a new node', () => server.objects.has(LEASE))
  })

  it('changes its token once a day, however slowly it beats', async () => {
    // A clock of its own: days pass when the file says so.
    const days = join(folder, 'days')
    writeFileSync(days, '0')
    const date = `[ "$1" != +%s ] || { echo $((1000000 + 86400 * $(cat ${days}))); exit; }`
    writeFileSync(join(folder, 'date'), `#!/bin/sh\n${date}\nexec /bin/date "$@"\n`, {
      mode: 0o755,
    })
    start({ PATH: `${folder}:${process.env.PATH}` })
    await eventually('two beats', () => server.count('PATCH', /leases/) >= 2)
    const before = server.count('POST', /token/)
    writeFileSync(days, '1')
    await eventually('another token', () => server.count('POST', /token/) > before)
    const beats = server.count('PATCH', /leases/)
    await eventually('two more beats', () => server.count('PATCH', /leases/) >= beats + 2)
    expect(server.count('POST', /token/)).toBe(before + 1)
  })

  it('keeps a token that is refused when it has no other way in', async () => {
    writeFileSync(join(folder, 'token'), 'kept')
    server.fault = () => ({ code: 401 })
    start({ LEASEHOLD_BOOTSTRAP_TOKEN: undefined })
    await eventually('two tries', () => server.count('POST', /nodes$/) >= 2)
    expect(readFileSync(join(folder, 'token'), 'utf8')).toBe('kept')
  })

  it('reports until its report is taken', async () => {
    start()
    await eventually('a beat', () => server.count('PATCH', /leases/) >= 1)
    const reports = () => server.count('PATCH', /status/)
    server.beatHeaders = { 'leasehold-declared': '1' }
    server.fault = ({ path }) => (path.endsWith('/status') ? { code: 503 } : undefined)
    const before = reports()
    await eventually('two reports', () => reports() >= before + 2)
  })

  it.each([
    { LEASEHOLD_ZONE: 'a"b' },
    { LEASEHOLD_REGION: 'a"b' },
    { LEASEHOLD_CA_FILE: '/none/ca.crt' },
    { LEASEHOLD_LEASE_SECONDS: '40s' },
    { LEASEHOLD_NODE_NAME: 'a/b' },
  ])('refuses what cannot work, or would spoil its JSON: %o', async (more) => {
    start(more)
    const [code] = await once(child!, 'exit')
    child = undefined
    expect(code).toBe(2)
  })
})
