/** Finding 5: what can other users and web pages on a developer's machine do to local mode? */
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { sealedStore } from '../../local/engine/sealed-records.ts'
import { clientFor } from '../../local/engine/store.ts'
import { createBootstrapToken } from '../../shared/auth/join/bootstrap-tokens.ts'
import { hashProof } from '../../shared/auth/join/join.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { NODES } from '../functions/api/world.ts'
import { askToken, joinHost, proofOf, START_MS, startService } from './service.ts'

const run = promisify(execFile)

/** Containers may forbid network namespaces; what is open then is tested below. */
const kernelAllows = [['--net'], ['--user', '--map-root-user', '--net']].some(
  (way) => spawnSync('unshare', [...way, 'sh', '-c', 'ip link set lo up']).status === 0,
)

describe('the embedded database of local mode', () => {
  let folder = ''
  let engine: Engine
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leasehold-attack-'))
    engine = await startEngine({ isFenced: true, dataDir: folder })
  })
  afterAll(async () => {
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is behind a fence wherever the kernel lets it, and says so where not', () => {
    expect(engine.unfenced === undefined).toBe(kernelAllows)
    expect(engine.socketPath !== undefined).toBe(kernelAllows)
  })

  it('has no port that a web page or another user could reach', async () => {
    if (!kernelAllows) return
    // It listens, but in a network of its own: no port of ours leads there.
    expect(readFileSync(`/proc/${engine.pid}/net/tcp`, 'utf8')).toMatch(/ 0A /)
    const network = (process: string | number) => readlinkSync(`/proc/${process}/ns/net`)
    expect(network(engine.pid)).not.toBe(network('self'))
  })

  it('has a socket and files that this user alone may open', async () => {
    expect(statSync(join(folder, 'dynamodb.sqlite')).mode & 0o777).toBe(0o600)
    if (!kernelAllows) return
    const { socketPath = '' } = engine
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(socketPath)).mode & 0o777).toBe(0o700)
    // Only root can become another user, so only there the refusal itself can be watched.
    if (process.getuid?.() !== 0) return
    const script =
      'require("net").connect(process.argv[1]).on("error",e=>console.log(e.code)).on("connect",()=>console.log("in"))'
    const other = { uid: 65_534, gid: 65_534, cwd: '/' }
    const { stdout } = await run(process.execPath, ['-e', script, socketPath], other).catch(
      (error: { readonly code: string }) => ({ stdout: error.code }),
    )
    expect(stdout.trim()).toBe('EACCES')
  })

  it('serves the SDK where it answers', async () => {
    const client = clientFor(engine)
    await client.send(
      new CreateTableCommand({
        TableName: 'kept',
        KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    )
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['kept'])
    client.destroy()
  })
})

describe('where it cannot be fenced off, a forged record', () => {
  /** The service seals; `behind` is the same table as an intruder writes it. */
  async function open() {
    let behind: Store | undefined
    const key = randomBytes(32)
    const wrap = (store: Store) => {
      behind = store
      return sealedStore(store, key)
    }
    const service = await startService({ wrap })
    return { service, behind: behind! }
  }
  const fixed = { nowMs: START_MS, randomInt: () => 3 }

  it('of a bootstrap token lets nobody in', async () => {
    const { service, behind } = await open()
    const token = await createBootstrapToken(behind, { groups: [] }, fixed)
    expect((await askToken(service, 'a', token)).status).toBe(401)
    expect((await askToken(service, 'a', await service.bootstrap())).status).toBe(201)
  })

  it('of a bootstrap token under the seal of another lets nobody in', async () => {
    const { service, behind } = await open()
    const mine = await service.bootstrap()
    const seen = await behind.records.get(`bootstrap-token/${mine.slice(0, 6)}`)
    const value = seen!.value
    await behind.commit([{ do: 'putRecord', name: 'bootstrap-token/dddddd', value }])
    const guess = `dddddd${mine.slice(6)}`
    expect((await askToken(service, 'a', guess)).status).toBe(401)
    const listed = await service.call('GET', '/apis/leasehold.dev/v1/bootstraptokens')
    expect(listed.body.items).toHaveLength(1)
  })

  it('of a join gives no machine a Node of another', async () => {
    const { service, behind } = await open()
    const host = await joinHost(service, 'a')
    const believed = (await behind.records.get('join/a'))!.version
    const value = {
      tokenId: 'x',
      bootstrapId: 'x',
      proofHash: hashProof(proofOf('intruder')),
      reservedUntilMs: 0,
      nodeUid: host.uid,
    }
    await behind.commit([{ do: 'putRecord', name: 'join/a', value, believed }])
    service.advance(600_000)
    const answer = await askToken(service, 'a', await service.bootstrap(), proofOf('intruder'))
    expect(answer.status).toBe(403)
  })

  it('of revocations is not believed, and neither is any token then', async () => {
    const { service, behind } = await open()
    await behind.commit([{ do: 'putRecord', name: 'revocations', value: {} }])
    expect((await service.call('GET', NODES, { as: 'viewer' })).status).toBe(503)
  })

  it('is not needed: sealed records are read back', async () => {
    const store = sealedStore(memoryStore({ clock: () => START_MS }), randomBytes(32))
    await createBootstrapToken(store, { groups: [] }, fixed)
    expect(await store.records.list('bootstrap-token/')).toHaveLength(1)
  })
})
