/**
 * The whole service as `npm start` runs it, in a folder of its own, and an administrator's eyes on
 * it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '../../agent/client.ts'
import { httpTransport } from '../../agent/http.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder, readEndpoints } from '../../local/data-folder.ts'
import { eventually } from '../agent/eventually.ts'

export interface LocalService {
  readonly url: string
  readonly caFile: string
  readonly folder: string
  bootstrapToken(): string
  asAdmin(method: 'GET' | 'DELETE', path: string): Promise<Answer>
  stop(): Promise<void>
}

const STARTING_MS = 30_000

export async function startLocalService(flags: readonly string[]): Promise<LocalService> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-e2e-'))
  const data = dataFolder(folder)
  const args = ['local/main.ts', '--port', '0', '--dashboard-port', '0', '--data', folder, ...flags]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  await eventually('the service is up', () => existsSync(data.kubeconfig), STARTING_MS)
  const url = readEndpoints(data).api
  const caFile = join(folder, 'ca.crt')
  const transport = httpTransport({ server: url, ca: readFileSync(caFile, 'utf8') })
  const token = await adminToken(data, Date.now())
  return {
    url,
    caFile,
    folder,
    asAdmin: (method, path) => transport.exchange({ method, path }, token),
    bootstrapToken: () => {
      const command = ['local/cli/main.ts', 'token', 'bootstrap', 'create', '--data', folder]
      return execFileSync(process.execPath, command, { encoding: 'utf8' }).trim()
    },
    async stop() {
      await ended(child, 'SIGTERM')
      rmSync(folder, { recursive: true })
    },
  }
}

/** Sends the signal and waits for the end. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode !== null || !child.kill(signal)) return
  await gone
}
