import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { endProcess } from '../local-system/child-process.ts'
import {
  type BuiltAgent,
  builtAgent,
  condition,
  isBeating,
  isReady,
  isUnknown,
  leasePath,
  nodePath,
} from './built-agent.ts'
import { type LocalService, startLocalService } from './local-service.ts'
import { smallDisk } from './small-disk.ts'

const MIB = 1024 ** 2
/** Looks often; told by a flag where a test must not be helped by that. */
const QUICK = ['--node-status-update-frequency', '500ms']

let service: LocalService
let agent: BuiltAgent
beforeAll(async () => {
  service = await startLocalService('3s')
  agent = await builtAgent(service)
})
afterAll(async () => {
  await agent.stop()
  await service.stop()
})

const nodeThat = (name: string, what: string, holds: (node: Node) => boolean) =>
  service.objectThat<Node>(nodePath(name), what, holds)
const leaseThat = (name: string, what: string, holds: (lease: Lease) => boolean) =>
  service.objectThat<Lease>(leasePath(name), what, holds)

// Side by side: they mostly wait.
describe.concurrent('the built agent and the local service', () => {
  it('joins with a bootstrap token and shows what this machine really is', async () => {
    agent.start('real', ...QUICK, '--zone', 'z1')
    const node = await nodeThat('real', 'it is ready', isReady)
    expect(node.metadata.labels?.['topology.kubernetes.io/zone']).toBe('z1')
    expect(node.status?.nodeInfo?.kernelVersion).toBe(os.release())
    expect(node.status?.capacity?.cpu).toBe(String(os.cpus().length))
    expect(statSync(join(agent.folder, 'real', 'token.json')).mode & 0o777).toBe(0o600)
    const first = await leaseThat('real', 'it beats', isBeating)
    expect(first.spec?.holderIdentity).toMatch(/^real_/)
    expect(first.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid)
    const described = service.kubectl('describe', 'node', 'real') ?? ''
    if (!described) return
    const said = (label: string) => new RegExp(`${label}:\\s+(\\S+)`).exec(described)?.[1]
    expect(said('Kernel Version')).toBe(os.release())
    expect(said('cpu')).toBe(String(os.cpus().length))
    expect(described).toMatch(/Ready\s+True.*KubeletReady/)
    expect(described).toMatch(/HolderIdentity:\s+real_/)
  })

  it('turns DiskPressure on when its disk fills, and off when there is room again', async () => {
    const disk = smallDisk(join(agent.folder, 'disk'))
    const flags = [
      '--disk-path',
      disk.path,
      '--eviction-hard',
      `nodefs.available<${disk.leastMib}Mi`,
    ]
    agent.start('full', ...QUICK, ...flags, '--eviction-pressure-transition-period', '1s')
    const has = (status: string) => (node: Node) =>
      condition(node, 'DiskPressure')?.status === status
    const ballast = join(disk.path, `leasehold-e2e-${process.pid}`)
    try {
      await nodeThat('full', 'there is room', has('False'))
      writeFileSync(ballast, Buffer.alloc(disk.ballastMib * MIB))
      const pressed = await nodeThat('full', 'it is under pressure', has('True'))
      expect(condition(pressed, 'DiskPressure')?.reason).toBe('KubeletHasDiskPressure')
      expect(isReady(pressed)).toBe(true)
      rmSync(ballast)
      await nodeThat('full', 'the pressure is over', has('False'))
    } finally {
      rmSync(ballast, { force: true })
      disk.remove()
    }
  })

  it('is Unknown after its grace when it is frozen, and Ready a beat after it thaws', async () => {
    const frozen = agent.start('frozen')
    await nodeThat('frozen', 'it is ready', isReady)
    await leaseThat('frozen', 'it beats', isBeating)
    frozen.kill('SIGSTOP')
    const gone = await nodeThat('frozen', 'it is given up', isUnknown)
    expect(condition(gone, 'Ready')?.reason).toBe('NodeStatusUnknown')
    expect(gone.spec?.taints?.map(({ key }) => key)).toContain('node.kubernetes.io/unreachable')
    frozen.kill('SIGCONT')
    // Its next report is five minutes off: only a beat can bring it back while this waits.
    await nodeThat('frozen', 'it is back', isReady)
    await nodeThat('frozen', 'nothing is held against it', ({ spec }) => !spec?.taints?.length)
  })

  it('leaves at once: cordoned, not ready, its lease given back', async () => {
    const leaver = agent.start('leaver', ...QUICK, '--leave')
    await nodeThat('leaver', 'it is ready', isReady)
    await leaseThat('leaver', 'it beats', isBeating)
    await endProcess(leaver)
    const { body } = await service.asAdmin({ method: 'GET', path: nodePath('leaver') })
    expect(condition(body as Node, 'Ready')).toMatchObject({ status: 'False', reason: 'HostLeft' })
    expect((body as Node).spec?.unschedulable).toBe(true)
    const lease = await service.asAdmin({ method: 'GET', path: leasePath('leaver') })
    expect((lease.body as Lease).spec?.holderIdentity).toBe('')
    agent.start('leaver', ...QUICK)
    const back = await nodeThat('leaver', 'it is back', isReady)
    expect(back.spec?.unschedulable ?? false).toBe(false)
  })

  it('registers again when its Node was deleted', async () => {
    agent.start('deleted')
    const old = await nodeThat('deleted', 'it is ready', isReady)
    await service.asAdmin({ method: 'DELETE', path: nodePath('deleted') })
    await nodeThat(
      'deleted',
      'it is there again',
      (node) => node.metadata.uid !== old.metadata.uid && isReady(node),
    )
  })

  it('comes back under a Node that somebody else made anew, once an operator allows it', async () => {
    agent.start('anew')
    await nodeThat('anew', 'it is ready', isReady)
    await leaseThat('anew', 'it beats', isBeating)
    await service.asAdmin({ method: 'DELETE', path: nodePath('anew') })
    const rejoinUntil = new Date(Date.now() + 60_000).toISOString()
    const made = await service.asAdmin({
      method: 'POST',
      path: '/api/v1/nodes',
      body: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'anew', annotations: { 'leasehold.dev/rejoin-until': rejoinUntil } },
      },
    })
    expect(made.code).toBe(201)
    const { uid } = (made.body as Node).metadata
    const isIts = (lease: Lease) => lease.metadata.ownerReferences?.[0]?.uid === uid
    await leaseThat('anew', 'it beats for the new one', isIts)
    await nodeThat('anew', 'it is ready', (node) => node.metadata.uid === uid && isReady(node))
  })

  const byHand = (name: string) => {
    const labels = { 'topology.kubernetes.io/zone': 'rack-7', 'example.com/role': 'db' }
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
    return service.asAdmin({ method: 'POST', path: '/api/v1/nodes', body })
  }

  it('beats for a Node that was made by hand, with the token that was made for it', async () => {
    expect((await byHand('by-hand')).code).toBe(201)
    const file = join(agent.folder, 'by-hand.token')
    writeFileSync(file, service.nodeToken('by-hand'), { mode: 0o600 })
    const token = ['--bootstrap-token', 'madeup.0123456789abcdef', '--node-token-file', file]
    agent.start('by-hand', ...QUICK, '--register-node=false', ...token, '--zone', 'elsewhere')
    const node = await nodeThat('by-hand', 'it is ready', isReady)
    expect(node.metadata.labels).toMatchObject({
      'topology.kubernetes.io/zone': 'rack-7',
      'example.com/role': 'db',
    })
    await leaseThat('by-hand', 'it beats', isBeating)
  })

  it('waits for a Node that is made by hand later, and never makes it itself', async () => {
    agent.start('awaited', ...QUICK, '--register-node=false')
    const asked = join(agent.folder, 'awaited', 'token.json')
    await eventually('it has asked for a token', () => existsSync(asked))
    const { code } = await service.asAdmin({ method: 'GET', path: nodePath('awaited') })
    expect(code).toBe(404)
    expect((await byHand('awaited')).code).toBe(201)
    await leaseThat('awaited', 'it beats', isBeating)
    await nodeThat('awaited', 'it is ready', isReady)
  })

  it('beats as its Node asks for', async () => {
    agent.start('paced', '--node-lease-duration-seconds', '4')
    const key = 'leasehold.dev/node-monitor-grace-period'
    const { spec } = await leaseThat('paced', 'it beats', isBeating)
    expect(spec?.leaseDurationSeconds).toBe(4)
    const annotated = await service.asAdmin({
      method: 'PATCH',
      path: nodePath('paced'),
      body: { metadata: { annotations: { [key]: '100s' } } },
      contentType: 'application/merge-patch+json',
    })
    expect(annotated.code).toBe(200)
    // Every 20 s needs a lease of four times that, and comes long after the fleet's grace of 3 s.
    await leaseThat('paced', 'it beats slowly', (lease) => lease.spec?.leaseDurationSeconds === 80)
    await nodeThat('paced', 'it is not given up', isReady)
  })
})

describe.concurrent('the shell agent and the local service', () => {
  it('is a node that kubectl shows as Ready, and stays so at the pace it is told', async () => {
    const state = join(agent.folder, 'tiny')
    mkdirSync(state)
    const log = join(agent.folder, 'tiny.log')
    const child = agent.shell('tiny', { LEASEHOLD_STATE_DIR: state }, log)
    const first = await leaseThat('tiny', 'it beats', isBeating)
    const node = await nodeThat('tiny', 'it is ready', isReady)
    expect(first.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid)
    await leaseThat('tiny', 'it beats on', ({ spec }) => spec?.renewTime !== first.spec?.renewTime)
    const table = service.kubectl('get', 'nodes', 'tiny') ?? 'tiny Ready'
    expect(table).toMatch(/tiny\s+Ready\s/)
    child.kill('SIGSTOP')
    await nodeThat('tiny', 'it is given up', isUnknown)
    child.kill('SIGCONT')
    await nodeThat('tiny', 'it is back', isReady)
    expect(readFileSync(log, 'utf8')).toContain('beating as tiny')
  })

  it('says what is wrong when it does not know the authority of the certificate', async () => {
    const log = join(agent.folder, 'no-ca.log')
    const state = join(agent.folder, 'no-ca')
    agent.shell('no-ca', { LEASEHOLD_STATE_DIR: state, LEASEHOLD_CA_FILE: '' }, log)
    const isTold = () => readFileSync(log, 'utf8').includes('is not trusted: set LEASEHOLD_CA_FILE')
    await eventually('it says so', isTold)
  })
})
