import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleOptions } from '../../agent/bundle.ts'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { eventually } from '../agent/eventually.ts'
import { ended, type LocalService, startLocalService } from './local-service.ts'

const WITHIN_MS = 20_000
const MIB = 1024 ** 2
/** Memory as a file system, quiet enough that a few mebibytes more or less are ours. */
const DISK = '/dev/shm'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-agent-e2e-'))
const file = join(folder, 'leasehold-agent.cjs')
let service: LocalService
let agents: ChildProcess[] = []

beforeAll(async () => {
  await build({ ...bundleOptions, outfile: file })
  service = await startLocalService([])
})
afterEach(async () => {
  await Promise.all(agents.map((each) => ended(each, 'SIGKILL')))
  agents = []
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

function startAgent(name: string, ...flags: string[]): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      ...[file, '--server', service.url, '--ca-file', service.caFile, '--node-name', name],
      ...['--bootstrap-token', service.bootstrapToken(), '--state-dir', join(folder, name)],
      ...[
        '--node-lease-duration-seconds',
        '4',
        '--node-status-update-frequency',
        '500ms',
        ...flags,
      ],
    ],
    { stdio: 'ignore' },
  )
  agents.push(child)
  return child
}

/** Keeps looking at an object until it is as wanted. */
async function objectThat<T>(
  path: string,
  what: string,
  holds: (object: T) => boolean,
): Promise<T> {
  let found: T | undefined
  let isLooking = false
  const look = async () => {
    isLooking = true
    const { code, body } = await service.asAdmin('GET', path)
    found = code === 200 ? (body as T) : undefined
    isLooking = false
  }
  const isThere = () => {
    if (!isLooking) void look()
    return found !== undefined && holds(found)
  }
  await eventually(what, isThere, WITHIN_MS)
  if (!found) throw new Error('it was there a moment ago')
  return found
}

const nodeThat = (name: string, what: string, holds: (node: Node) => boolean) =>
  objectThat<Node>(`/api/v1/nodes/${name}`, what, holds)
const leaseThat = (name: string, what: string, holds: (lease: Lease) => boolean) =>
  objectThat<Lease>(
    `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`,
    what,
    holds,
  )

const condition = (node: Node, type: string) =>
  node.status?.conditions?.find((each) => each.type === type)
const isReady = (node: Node) => condition(node, 'Ready')?.status === 'True'
const isBeating = (lease: Lease) => lease.spec?.renewTime !== undefined

describe('the built agent and the local service', () => {
  it('joins with a bootstrap token and shows what this machine really is', async () => {
    startAgent('real', '--zone', 'z1')
    const node = await nodeThat('real', 'it is ready', isReady)
    expect(node.metadata.labels?.['topology.kubernetes.io/zone']).toBe('z1')
    expect(node.status?.nodeInfo?.kernelVersion).toBe(os.release())
    expect(node.status?.capacity?.cpu).toBe(String(os.cpus().length))
    expect(statSync(join(folder, 'real', 'token.json')).mode & 0o777).toBe(0o600)
    const first = await leaseThat('real', 'it beats', isBeating)
    expect(first.spec?.holderIdentity).toMatch(/^real_/)
    expect(first.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid)
  })

  it('turns DiskPressure on when its disk fills, and off when there is room again', async () => {
    const { bavail, bsize } = statfsSync(DISK)
    const least = Math.floor((bavail * bsize) / MIB) - 8
    startAgent(
      ...(['full', '--disk-path', DISK, '--eviction-hard', `nodefs.available<${least}Mi`] as const),
      ...['--eviction-pressure-transition-period', '1s'],
    )
    const has = (status: string) => (node: Node) =>
      condition(node, 'DiskPressure')?.status === status
    await nodeThat('full', 'there is room', has('False'))
    const ballast = join(DISK, `leasehold-e2e-${process.pid}`)
    writeFileSync(ballast, Buffer.alloc(16 * MIB))
    try {
      const pressed = await nodeThat('full', 'it is under pressure', has('True'))
      expect(condition(pressed, 'DiskPressure')?.reason).toBe('KubeletHasDiskPressure')
      expect(isReady(pressed)).toBe(true)
    } finally {
      rmSync(ballast)
    }
    await nodeThat('full', 'the pressure is over', has('False'))
  })

  it('leaves at once: cordoned, not ready, its lease given back', async () => {
    const agent = startAgent('leaver', '--leave')
    await nodeThat('leaver', 'it is ready', isReady)
    await leaseThat('leaver', 'it beats', isBeating)
    await ended(agent, 'SIGTERM')
    const { body } = await service.asAdmin('GET', '/api/v1/nodes/leaver')
    expect(condition(body as Node, 'Ready')).toMatchObject({ status: 'False', reason: 'HostLeft' })
    expect((body as Node).spec?.unschedulable).toBe(true)
    const isFree = (lease: Lease) => lease.spec?.holderIdentity === ''
    await leaseThat('leaver', 'its lease is free', isFree)
    startAgent('leaver')
    const back = await nodeThat('leaver', 'it is back', isReady)
    expect(back.spec?.unschedulable ?? false).toBe(false)
  })

  it('registers again when its Node was deleted', async () => {
    startAgent('deleted')
    const old = await nodeThat('deleted', 'it is ready', isReady)
    await service.asAdmin('DELETE', '/api/v1/nodes/deleted')
    await nodeThat(
      'deleted',
      'it is there again',
      (node) => node.metadata.uid !== old.metadata.uid && isReady(node),
    )
  })
})
