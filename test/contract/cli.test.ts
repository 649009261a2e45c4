/**
 * The command line and the joining of hosts, on a real engine: what the memory double cannot show.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataFolder, writeEndpoints } from '../../local/data-folder.ts'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { ensureKeys, fileSigner, readPublicKeys } from '../../local/keys.ts'
import { createAuthenticator } from '../../shared/auth/authenticator.ts'
import { defaultIssuerAudience } from '../../shared/auth/tokens/claims.ts'
import { issueToken } from '../../shared/auth/tokens/issuer.ts'
import { keySet } from '../../shared/auth/tokens/key-set.ts'
import { createTables, waitForTables } from '../../shared/store/dynamo/create-tables.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { clientFor } from './dynamo-rig.ts'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-cli-'))
const data = dataFolder(folder)
const tables = tableNames('cli')
let engine: Engine

beforeAll(async () => {
  engine = await startEngine()
  const client = clientFor(engine.endpoint)
  await createTables(client, tables)
  await waitForTables(client, tables)
  ensureKeys(data)
  writeEndpoints(data, {
    api: 'https://127.0.0.1:6443',
    dynamodb: engine.endpoint,
    isSealed: false,
    tables,
  })
})
afterAll(async () => {
  await engine.stop()
  rmSync(folder, { recursive: true })
})

async function leasehold(line: string): Promise<string> {
  const args = ['local/cli/main.ts', ...line.split(' '), '--data', folder]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim()
}

function newProcess() {
  const client = clientFor(engine.endpoint)
  const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
  const store = dynamoStore({ client, tables, clock: Date.now, random: Math.random, sleep })
  const onTrouble = () => {}
  const keys = keySet(() => readPublicKeys(data), onTrouble)
  const { records } = store
  return {
    store,
    authenticator: createAuthenticator({ ...defaultIssuerAudience, keys, records, onTrouble }),
  }
}

it('a token made on the command line is known to the api, until it is revoked there', async () => {
  const token = await leasehold('token create --user ann --group leasehold:viewers')
  const known = await newProcess().authenticator.authenticate(`Bearer ${token}`, Date.now())
  expect(known).toMatchObject({ kind: 'known', identity: { user: 'ann' } })

  await leasehold('token revoke --user ann')
  const after = await newProcess().authenticator.authenticate(`Bearer ${token}`, Date.now())
  expect(after).toEqual({ kind: 'refused' })
})

it('no more hosts join with a bootstrap token than it allows, whichever processes they meet', async () => {
  const token = await leasehold('token bootstrap create --uses 2')
  const attempts = Array.from({ length: 6 }, async (_, at) => {
    const { store, authenticator } = newProcess()
    const caller = await authenticator.authenticate(`Bearer ${token}`, Date.now())
    if (caller.kind !== 'known') throw new Error(caller.kind)
    const signer = () => fileSigner(data, 'node')
    const deps = { ...defaultIssuerAudience, store, signer, newId: () => `join-${at}` }
    const ask = { identity: caller.identity, nodeName: `host-${at}`, lifetimeSeconds: 600 }
    return issueToken(deps, { ...ask, nowMs: Date.now() })
  })
  const joined = await Promise.allSettled(attempts)
  expect(joined.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await leasehold('token bootstrap list')).toMatch(
    new RegExp(`${token.slice(0, 6)} +\\S+ +0 `),
  )
})
