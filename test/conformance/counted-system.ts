/** Local mode's api on its embedded DynamoDB, with every call to DynamoDB counted. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWatch } from '../../functions/api/watch/watches.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { localApi } from '../../local/api.ts'
import { serverCertificate } from '../../local/certificates.ts'
import { dataFolder } from '../../local/data-folder.ts'
import { startEngine } from '../../local/engine.ts'
import { serve } from '../../local/https-server.ts'
import { ensureKeys } from '../../local/keys.ts'
import { localClient, localTables, prepareTables } from '../../local/local-store.ts'
import type { Usage } from '../../shared/store/dynamo/calls.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { httpsClient } from './https-client.ts'
import type { Access } from './running-system.ts'

export interface CountedSystem extends Access {
  readonly store: Store
  /** Every call since it was last emptied. */
  readonly usage: Usage[]
  stop(): Promise<void>
}

export async function countedSystem(): Promise<CountedSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-counted-'))
  const data = dataFolder(folder)
  const certificate = await serverCertificate(folder, Date.now())
  ensureKeys(data)
  const engine = await startEngine({ onCrash: (why) => console.error(why) })
  await prepareTables({ endpoint: engine.endpoint, tables: localTables })
  const usage: Usage[] = []
  const store = countedStore(engine.endpoint, usage)

  const log = () => {}
  const watches = createWatch({ store, clock: Date.now, random: Math.random, log })
  const app = localApi({ store, data, log, more: { watch: watches.serve } })
  const listening = await serve(app.fetch, 0, certificate)
  const { caPem } = certificate
  const token = await adminToken(data, Date.now())
  const server = `https://127.0.0.1:${listening.port}`
  const http = httpsClient({ server, caPem, token })
  return {
    store,
    usage,
    server,
    caPem,
    token,
    http,
    async stop() {
      http.close()
      watches.close()
      await listening.stop()
      await engine.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const countedStore = (endpoint: string, usage: Usage[]): Store =>
  dynamoStore({
    client: localClient(endpoint),
    tables: localTables,
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => void (await sleep(ms)),
    onUsage: (each) => usage.push(each),
  })
