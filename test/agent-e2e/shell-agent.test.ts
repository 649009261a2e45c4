import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { eventually } from '../agent/eventually.ts'
import { BOOTSTRAP, LEASE, NODE, type SmallServer, smallServer } from '../agent/small-server.ts'

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

function start(): void {
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
    },
  })
}

describe('the shell agent', () => {
  it('joins, registers and beats with one request and no read', async () => {
    start()
    await eventually('two beats', () => server.count('PATCH', /leases/) >= 2, 8_000)
    const node = server.objects.get(NODE) as Node
    const lease = server.objects.get(LEASE) as Lease
    expect(node.metadata.labels?.['topology.kubernetes.io/zone']).toBe('z1')
    expect(node.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
    expect(lease.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid)
    expect(lease.spec?.holderIdentity).toMatch(/^a_/)
    expect(lease.spec?.renewTime).toMatch(/\.\d{6}Z$/)
    expect(server.count('GET')).toBe(0)
    expect(statSync(join(folder, 'token')).mode & 0o777).toBe(0o600)
  })

  it('registers again when its Node is gone', async () => {
    start()
    await eventually('a beat', () => server.count('PATCH', /leases/) >= 1, 8_000)
    server.objects.clear()
    server.tokens.clear()
    server.tokens.set(BOOTSTRAP, 'bootstrap')
    await eventually('a new node', () => server.objects.has(LEASE), 9_000)
  })
})
