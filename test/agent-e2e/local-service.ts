/** The whole service as `npm start` runs it, and what an administrator sees of it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceRequest, ServiceResponse } from '../../agent/client.ts'
import { httpTransport } from '../../agent/http.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder } from '../../local/data-folder.ts'
import { eventually } from '../eventually.ts'
import {
  endProcess,
  newBootstrapToken,
  newNodeToken,
  startLocalProcess,
} from '../local-system/child-process.ts'

export interface LocalService {
  readonly url: string
  readonly caFile: string
  readonly bootstrapToken: string
  /** Of a Node that exists, as an operator makes one. */
  nodeToken(name: string): string
  asAdmin(call: ServiceRequest): Promise<ServiceResponse>
  /** What kubectl prints; undefined where there is none. */
  kubectl(...args: readonly string[]): string | undefined
  /** Reads an object again and again until it is as wanted. */
  objectThat<T>(path: string, what: string, holds: (object: T) => boolean): Promise<T>
  stop(): Promise<void>
}

const WITHIN_MS = 20_000

/** Silence is noticed after the grace, and hosts are told to beat accordingly. */
export async function startLocalService(grace: string): Promise<LocalService> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-e2e-'))
  const data = dataFolder(folder)
  const short = ['--node-monitor-grace-period', grace, '--node-monitor-period', '500ms']
  const running = startLocalProcess(folder, ...short)
  const url = await running.address()
  const caFile = join(folder, 'ca.crt')
  const transport = httpTransport({ server: url, ca: readFileSync(caFile, 'utf8') })
  const token = await adminToken(data, Date.now())
  const asAdmin = (call: ServiceRequest) => transport.exchange(call, token)
  return {
    url,
    caFile,
    bootstrapToken: newBootstrapToken(folder),
    nodeToken: (name) => newNodeToken(folder, name),
    asAdmin,
    kubectl: (...words) => kubectl(data.kubeconfig, words),
    objectThat: (path, what, holds) => objectThat(asAdmin, path, what, holds),
    async stop() {
      await endProcess(running.child)
      rmSync(folder, { recursive: true })
    },
  }
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
  const isThere = async () => {
    const { code, body } = await asAdmin({ method: 'GET', path })
    found = code === 200 ? (body as T) : undefined
    return found !== undefined && holds(found)
  }
  await eventually(what, isThere, WITHIN_MS)
  return found!
}
