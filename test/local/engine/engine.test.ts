import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Engine,
  engineBinary,
  engineCredentials,
  engineRegion,
  startEngine,
} from '../../../local/engine/engine.ts'
import { trimStreams } from '../../../local/engine/stream-maintenance.ts'
import { dynamoClient } from '../../../shared/store/dynamo/client.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

async function started(options: Parameters<typeof startEngine>[0] = {}): Promise<Engine> {
  const engine = await startEngine(options)
  cleanups.push(engine.stop)
  return engine
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'leasehold-test-'))
  cleanups.push(() => rm(made, { recursive: true, force: true }))
  return made
}

function clientOf({ endpoint }: Engine) {
  return dynamoClient({ endpoint, region: engineRegion, credentials: engineCredentials })
}

const table = new CreateTableCommand({
  TableName: 'kept',
  KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
  BillingMode: 'PAY_PER_REQUEST',
})

describe('the embedded engine', () => {
  it('keeps its data in a folder over a restart', async () => {
    const dataDir = await folder()
    const first = await started({ dataDir })
    await clientOf(first).send(table)
    await first.stop()
    const second = await started({ dataDir })
    const { TableNames } = await clientOf(second).send(new ListTablesCommand({}))
    expect(TableNames).toEqual(['kept'])
  })

  it('does not answer once it was stopped, which may be asked twice', async () => {
    const engine = await started()
    await Promise.all([engine.stop(), engine.stop()])
    await expect(fetch(engine.endpoint)).rejects.toThrow()
  })

  it('is missed when it dies, and not when it was stopped', async () => {
    const told: string[] = []
    const stopped = await started({ onCrash: (why) => told.push(why) })
    await stopped.stop()
    expect(told).toEqual([])
    const died = Promise.withResolvers<string>()
    const engine = await started({ onCrash: died.resolve })
    process.kill(engine.pid, 'SIGKILL')
    expect(await died.promise).toMatch(/ended unexpectedly \(SIGKILL\).*Start again/)
  })

  it('ends an engine whose owner was killed, and goes on from its data', async () => {
    const dataDir = await folder()
    const died = Promise.withResolvers<string>()
    const orphan = await started({ dataDir, onCrash: died.resolve })
    await clientOf(orphan).send(table)
    const second = await started({ dataDir })
    expect(await died.promise).toContain('SIGKILL')
    const { TableNames } = await clientOf(second).send(new ListTablesCommand({}))
    expect(TableNames).toEqual(['kept'])
  })

  it('refuses data whose owner lives', async () => {
    const dataDir = await folder()
    const engine = await started({ dataDir })
    const tenants = { owner: process.ppid, engine: engine.pid }
    await writeFile(join(dataDir, 'engine.json'), JSON.stringify(tenants))
    await expect(startEngine({ dataDir })).rejects.toThrow(`in use by process ${process.ppid}`)
  })

  it('says what to install where there is no binary', async () => {
    expect(() => engineBinary('sunos', 'mips')).toThrow(/@dynoxide\/sunos-mips.*DYNAMODB_ENDPOINT/)
    await expect(startEngine({ binary: '/no/such/program' })).rejects.toThrow(/npm ci/)
  })

  it('says what to do with damaged data', async () => {
    const dataDir = await folder()
    await writeFile(
      join(dataDir, 'dynamodb.sqlite'),
      'this is not a database, whatever it is named',
    )
    await expect(startEngine({ dataDir })).rejects.toThrow(/data is damaged, move .* away/)
  })

  it('drops stream records of yesterday, but never the newest of a table', async () => {
    const dataDir = await folder()
    const engine = await started({ dataDir })
    await engine.stop()
    const file = join(dataDir, 'dynamodb.sqlite')
    expect((await stat(file)).size).toBeGreaterThan(0)
    const database = new DatabaseSync(file)
    const insert = database.prepare(
      `INSERT INTO _stream_records
         (table_name, event_name, keys_json, sequence_number, shard_id, created_at)
       VALUES (?, 'INSERT', '{}', ?, 's', ?)`,
    )
    const nowMs = 1_800_000_000_000
    const oldS = nowMs / 1_000 - 90_000
    for (let n = 1; n <= 1_200; n += 1) insert.run('busy', String(n), oldS)
    insert.run('busy', '1201', nowMs / 1_000)
    insert.run('quiet', '1', oldS)
    expect(trimStreams(database, nowMs)).toBe(1_200)
    const left = database.prepare('SELECT table_name AS name FROM _stream_records').all()
    expect(left.map(({ name }) => name).sort()).toEqual(['busy', 'quiet'])
    database.close()
  })
})
