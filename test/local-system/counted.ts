/** Local mode's api on its embedded DynamoDB, with every call to DynamoDB counted. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Timers } from '../../functions/api/watch/change-source.ts'
import { createWatchServer } from '../../functions/api/watch/watch-server.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder } from '../../local/data-folder.ts'
import { startEngine } from '../../local/engine/engine.ts'
import { localTables, openStore, prepareTables } from '../../local/engine/store.ts'
import { ensureKeys } from '../../local/keys.ts'
import { localApi } from '../../local/serve/api.ts'
import { serverCertificate } from '../../local/serve/certificates.ts'
import { serve } from '../../local/serve/https-server.ts'
import type { CapacityUsage } from '../../shared/store/dynamo/calls.ts'
import type { Store } from '../../shared/store/ports.ts'
import { httpsClient } from './https-client.ts'
import type { Access } from './in-process.ts'

export interface CountedSystem extends Access {
  readonly store: Store
  /** Every call since it was last emptied. */
  readonly usage: CapacityUsage[]
  stop(): Promise<void>
}

/** Timers: those of the watches' polls, where a test fires them itself. */
export async function startCounted(options: { timers?: Timers } = {}): Promise<CountedSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-counted-'))
  const data = dataFolder(folder)
  const certificate = await serverCertificate(folder, Date.now())
  ensureKeys(data)
  const engine = await startEngine({ onCrash: (why) => console.error(why) })
  const address = { endpoint: engine.endpoint, tables: localTables }
  await prepareTables(address)
  const usage: CapacityUsage[] = []
  const store = openStore(address, (each) => usage.push(each))

  const log = () => {}
  const watches = createWatchServer({
    store,
    clock: Date.now,
    random: Math.random,
    log,
    ...options,
  })
  const app = localApi({ store, data, log, more: { watch: watches.serve } })
  const listening = await serve(app.fetch, { port: 0, certificate })
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
