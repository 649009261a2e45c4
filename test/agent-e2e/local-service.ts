/**
 * The whole service as `npm start` runs it, in a folder of its own, and an administrator's eyes on
 * it.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, Call } from '../../agent/client.ts'
import { httpTransport } from '../../agent/http.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder, readEndpoints } from '../../local/data-folder.ts'
import { eventually } from '../agent/eventually.ts'

export interface LocalService {
  readonly url: string
  readonly caFile: string
  readonly bootstrapToken: string
  asAdmin(call: Call): Promise<Answer>
  /** What kubectl prints; undefined where there is none. */
  kubectl(...args: readonly string[]): string | undefined
  /** Keeps looking at an object until it is as wanted. */
  objectThat<T>(path: string, what: string, holds: (object: T) => boolean): Promise<T>
  stop(): Promise<void>
}

const STARTING_MS = 30_000
const WITHIN_MS = 20_000

/** Silence is noticed after the grace, and hosts are told to beat accordingly. */
export async function startLocalService(grace: string): Promise<LocalService> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-e2e-'))
  const data = dataFolder(folder)
  const short = ['--node-monitor-grace-period', grace, '--node-monitor-period', '500ms']
  const args = ['local/main.ts', '--port', '0', '--dashboard-port', '0', '--data', folder, ...short]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  await eventually('the service is up', () => existsSync(data.kubeconfig), STARTING_MS)
  const url = readEndpoints(data).api
  const caFile = join(folder, 'ca.crt')
  const transport = httpTransport({ server: url, ca: readFileSync(caFile, 'utf8') })
  const token = await adminToken(data, Date.now())
  const asAdmin = (call: Call) => transport.exchange(call, token)
  return {
    url,
    caFile,
    bootstrapToken: newBootstrapToken(folder),
    asAdmin,
    kubectl: (...words) => kubectl(data.kubeconfig, words),
    objectThat: (path, what, holds) => objectThat(asAdmin, path, what, holds),
    async stop() {
      await ended(child, 'SIGTERM')
      rmSync(folder, { recursive: true })
    },
  }
}

function newBootstrapToken(folder: string): string {
  const command = ['local/cli/main.ts', 'token', 'bootstrap', 'create', '--data', folder]
  return execFileSync(process.execPath, command, { encoding: 'utf8' }).trim()
}

function kubectl(kubeconfig: string, words: readonly string[]): string | undefined {
  const args = ['--kubeconfig', kubeconfig, ...words]
  const { error, stdout, stderr, status } = spawnSync('kubectl', args, { encoding: 'utf8' })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined
  if (status !== 0) throw new Error(`kubectl ${words.join(' ')}: ${stderr}`)
  return stdout
}

async function objectThat<T>(
  asAdmin: LocalService['asAdmin'],
  path: string,
  what: string,
  holds: (object: T) => boolean,
): Promise<T> {
  let found: T | undefined
  let isLooking = false
  const look = async () => {
    isLooking = true
    const { code, body } = await asAdmin({ method: 'GET', path })
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

/** Sends the signal and waits for the end. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode !== null || child.signalCode !== null || !child.kill(signal)) return
  await gone
}
