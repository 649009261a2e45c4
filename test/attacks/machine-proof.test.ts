/** Finding 2: what a host publishes must not be enough to become that host. */
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../agent/config/config.ts'
import { holderIdentity, nodeToRegister } from '../../agent/host.ts'
import { silentLog } from '../../agent/log.ts'
import { assembleAgent } from '../../agent/program.ts'
import { BOOTSTRAP, smallServer } from '../agent/small-server.ts'
import { LEASES } from '../functions/api/world.ts'
import { askToken, beat, joinHost, leaseOf, proofOf, startService, tokenIn } from './service.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const operatorAllows = (service: Awaited<ReturnType<typeof startService>>, name: string) =>
  service.call('PATCH', `/api/v1/nodes/${name}`, {
    as: 'operator',
    body: {
      metadata: {
        annotations: {
          'leasehold.dev/rejoin-until': new Date(service.clock() + MINUTE).toISOString(),
        },
      },
    },
  })

describe('an agent', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leasehold-attack-'))
    vi.spyOn(os, 'hostname').mockReturnValue('a')
  })
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })

  /** What an agent with this state folder shows when it joins, and what readers of the api see. */
  async function joins() {
    const server = await smallServer()
    const args = ['--server', server.url, '--state-dir', folder, '--bootstrap-token', BOOTSTRAP]
    const config = readConfig({ args, env: {}, readFile: () => '' })
    const stop = new AbortController()
    const { host, credentials } = await assembleAgent(config, silentLog, stop.signal)
    await credentials.obtain()
    const { nodeInfo } = (await nodeToRegister(host)).status ?? {}
    stop.abort()
    await server.stop()
    const sent = server.requests.find(({ path }) => path.endsWith('/token'))!.body as {
      metadata: { annotations: Record<string, string> }
    }
    const proof = sent.metadata.annotations['leasehold.dev/machine-proof']!
    rmSync(join(folder, 'token.json'))
    return { proof, holder: holderIdentity(host), machineId: nodeInfo?.machineID || host.machineId }
  }

  it('shows a proof that cannot be made of what it publishes, and shows it again', async () => {
    const { proof, holder, machineId } = await joins()
    expect(proof).toMatch(/^lhp1\.[\w-]{43}$/)
    expect(proof).not.toBe(
      createHmac('sha256', machineId).update('leasehold.dev machine proof').digest('base64'),
    )
    expect(holder).not.toContain(machineId)
    expect(holder).toMatch(/^a_[0-9a-f]{32}$/)
    expect((await joins()).proof).toBe(proof)
    const file = join(folder, 'machine-proof')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').trim()).toBe(proof)
  })

  it('that lost its state folder has another proof and the same holder', async () => {
    const first = await joins()
    rmSync(join(folder, 'machine-proof'))
    const second = await joins()
    expect(second.proof).not.toBe(first.proof)
    expect(second.holder).toBe(first.holder)
  })
})

describe('a silent node', () => {
  it('is not given to a viewer with a bootstrap token, whatever the viewer can read', async () => {
    const service = await startService()
    const machineId = '0123456789abcdef0123456789abcdef'
    await joinHost(service, 'a', { nodeInfo: { machineID: machineId } })
    service.advance(10 * MINUTE)
    const seen = await service.call('GET', '/api/v1/nodes/a', { as: 'viewer' })
    const lease = await service.call('GET', `${LEASES}/a`, { as: 'viewer' })
    const published = [machineId, seen.body.metadata.uid, lease.body.spec.holderIdentity]
    expect(seen.body.status.nodeInfo.machineID).toBe(machineId)
    for (const one of published) {
      const guesses = [
        createHmac('sha256', one).update('leasehold.dev machine proof').digest('base64'),
        one,
        proofOf(one),
      ]
      for (const guess of guesses) {
        const answer = await askToken(service, 'a', await service.bootstrap(), guess)
        expect([403, 422]).toContain(answer.status)
      }
    }
  })

  it('is refused a proof of the old form with a sentence that says what to do', async () => {
    const service = await startService()
    const old = createHmac('sha256', 'm').update('leasehold.dev machine proof').digest('base64')
    const answer = await askToken(service, 'a', await service.bootstrap(), old)
    expect(answer.status).toBe(422)
    expect(answer.body.message).toContain('update the agent')
  })
})

describe('joining again', () => {
  it('with its proof revokes every earlier token of the Node', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    service.advance(10 * MINUTE)
    expect((await beat(service, host)).status).toBe(200)
    service.advance(10 * MINUTE)
    const back = tokenIn(await askToken(service, 'a', await service.bootstrap(), host.proof))
    service.advance(31_000)
    expect((await beat(service, host)).status).toBe(401)
    expect((await beat(service, { ...host, token: back })).status).toBe(200)
  })

  it('of many hosts leaves operators room to revoke, and is told when there is none', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`system:node:n${at}`, service.clock() / 1000]),
    )
    await service.store.commit([{ do: 'putRecord', name: 'revocations', value: many }])
    service.advance(10 * MINUTE)
    const refused = await askToken(service, 'a', await service.bootstrap(), host.proof)
    expect(refused.status).toBe(429)
    await operatorAllows(service, 'a')
    tokenIn(await askToken(service, 'a', await service.bootstrap(), host.proof))
  })

  it.each([
    {
      when: 'every earlier token has run out',
      after: (days: number) => days * DAY,
      rotates: false,
    },
    { when: 'the key of the earlier ones is gone', after: () => 10 * MINUTE, rotates: true },
  ])('needs no revocation where $when', async ({ after, rotates }) => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    if (rotates) await service.rotateNodeKey()
    service.advance(after(8))
    // Authenticating with any token makes the process read the keys anew.
    await service.call('GET', '/api/v1/nodes', {
      as: await service.sign('admin', { user: 'v', groups: ['leasehold:viewers'] }),
    })
    tokenIn(await askToken(service, 'a', await service.bootstrap(), host.proof))
    expect(await service.store.records.get('revocations')).toBeUndefined()
  })

  it('after the state folder was lost works once an operator allows it, before the grace is over', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const lost = proofOf('made anew')
    const refused = await askToken(service, 'a', await service.bootstrap(), lost)
    expect(refused.body.message).toContain('kubectl annotate node a leasehold.dev/rejoin-until')
    await operatorAllows(service, 'a')
    service.advance(5_000)
    const token = tokenIn(await askToken(service, 'a', await service.bootstrap(), lost))
    // The same machine has the same holder, so its lease need not run out first.
    const answer = await service.call('PUT', `${LEASES}/a`, {
      as: token,
      body: {
        ...leaseOf(service, host),
        metadata: {
          ...leaseOf(service, host).metadata,
          resourceVersion: (await service.call('GET', `${LEASES}/a`)).body.metadata.resourceVersion,
        },
      },
    })
    expect(answer.status).toBe(200)
  })

  it('is refused while the Node is being deleted', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const finalizers = { metadata: { finalizers: ['example.com/held'] } }
    await service.call('PATCH', '/api/v1/nodes/a', { body: finalizers })
    await service.call('DELETE', '/api/v1/nodes/a')
    service.advance(10 * MINUTE)
    for (const bearer of [host.token, await service.bootstrap()]) {
      const refused = await askToken(service, 'a', bearer, host.proof)
      expect(refused.status).toBe(403)
      expect(refused.body.message).toContain('being deleted')
    }
  })
})
