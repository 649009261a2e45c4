/**
 * What the clients talk to: local mode as a process of its own, its database as another, and the
 * proxy between them. Both processes are killed and started again here; each comes back on the same
 * data, and to its callers at the same address.
 */
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder } from '../../local/data-folder.ts'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { endProcess, type LocalProcess, startLocalProcess } from '../local-system/child-process.ts'
import { type HttpsClient, httpsClient } from '../local-system/https-client.ts'
import { userToken } from '../local-system/in-process.ts'
import { type DatabaseProxy, databaseProxy, type Rewrite } from './database-proxy.ts'

/** A second and later start on a machine that does other things too. */
const COMES_BACK_MS = 30_000
/** The monitor would write to the Nodes that the models know only from their clients. */
const FLAGS = [
  '--observe',
  'true',
  '--node-monitor-grace-period',
  '1h',
  '--node-startup-grace-period',
  '1h',
]

export interface SystemUnderTest {
  readonly proxy: DatabaseProxy
  /** SIGKILL and a start right after it; resolves when the server listens again. */
  killServer(): Promise<void>
  killDatabase(): Promise<void>
  /** SIGSTOP, and SIGCONT after this time. */
  stopServer(forMs: number): Promise<void>
  client(user: string): Promise<HttpsClient>
  /** How often the server ended without having been told to, and was started again. */
  readonly ownExits: () => number
  stop(): Promise<void>
}

interface Parts {
  readonly folder: string
  readonly data: string
  readonly port: number
  readonly proxy: DatabaseProxy
}

/** Keeps its data below `folder` while it runs, and what the server printed when it is over. */
export async function startSystemUnderTest(
  folder: string,
  rewrite?: Rewrite,
): Promise<SystemUnderTest> {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const proxy = await databaseProxy(rewrite)
  const database = await keptDatabase(join(data, 'database'), proxy)
  const server = keptServer({ folder, data, port: await freePort(), proxy })
  const stop = async () => {
    await server.stop()
    await database.stop()
    await proxy.close()
    rmSync(data, { recursive: true, force: true })
  }
  try {
    await server.serving()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    proxy,
    killServer: server.kill,
    killDatabase: database.kill,
    stopServer: server.pause,
    ownExits: server.ownExits,
    client: async (user) => {
      const token = await userToken(data, user, ['system:masters'])
      const caPem = readFileSync(dataFolder(data).caCert, 'utf8')
      return httpsClient({ server: server.address, caPem, token })
    },
    stop,
  }
}

async function keptDatabase(dataDir: string, proxy: DatabaseProxy) {
  let crashed = () => {}
  const start = async () => {
    const started = await startEngine({ dataDir, onCrash: () => crashed() })
    proxy.pointTo(started.endpoint)
    return started
  }
  let engine: Engine = await start()
  return {
    async kill() {
      const gone = new Promise<void>((resolve) => {
        crashed = resolve
      })
      process.kill(engine.pid, 'SIGKILL')
      await gone
      engine = await start()
    },
    stop: () => engine.stop(),
  }
}

function keptServer({ folder, data, port, proxy }: Parts) {
  let isStopping = false
  let exits = 0
  let log = ''
  process.env.DYNAMODB_ENDPOINT = proxy.endpoint
  const start = (): LocalProcess => {
    const started = startLocalProcess(data, '--port', String(port), ...FLAGS)
    started.child.once('exit', (code) => {
      log += `${started.text()}\n--- ended with ${code ?? started.child.signalCode}\n`
      if (isStopping) return
      if (started.child.signalCode !== 'SIGKILL') exits += 1
      server = start()
    })
    return started
  }
  let server = start()

  /** It may end by itself while it starts, when the database is gone; then the next one counts. */
  const serving = async () => {
    const untilMs = performance.now() + COMES_BACK_MS
    while (!server.text().includes('running at https')) {
      if (performance.now() > untilMs)
        throw new Error(`the server did not come back; it printed:\n${log}${server.text()}`)
      await sleep(10)
    }
  }
  return {
    address: `https://127.0.0.1:${port}`,
    serving,
    ownExits: () => exits,
    async kill() {
      const exit = once(server.child, 'exit')
      server.child.kill('SIGKILL')
      await exit
      await serving()
    },
    async pause(forMs: number) {
      const { child } = server
      child.kill('SIGSTOP')
      await sleep(forMs)
      child.kill('SIGCONT')
    },
    async stop() {
      isStopping = true
      server.child.kill('SIGCONT')
      await endProcess(server.child)
      writeFileSync(join(folder, 'server.log'), log)
    },
  }
}

/** The server is told its port, so that it comes back at the same one. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { readonly port: number }
  probe.close()
  await once(probe, 'close')
  return port
}
