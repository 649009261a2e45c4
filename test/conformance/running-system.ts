/**
 * Local mode as `npm start` runs it, on a free port and in a folder of its own, for real clients to
 * talk to.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataFolder } from '../../local/data-folder.ts'
import { fileSigner } from '../../local/keys.ts'
import type { LocalLog } from '../../local/log.ts'
import { parseOptions } from '../../local/options.ts'
import { startSystem } from '../../local/system.ts'
import { defaultIssued, lifetimeSeconds } from '../../shared/auth/claims.ts'
import { signToken } from '../../shared/auth/signer.ts'
import { type HttpsClient, httpsClient } from './https-client.ts'

export interface RunningSystem extends Access {
  readonly kubeconfig: string
  /** For a person in these groups. */
  tokenFor(user: string, ...groups: string[]): Promise<string>
  /** What went wrong inside, which no test may cause. */
  readonly errors: string[]
  stop(): Promise<void>
}

export interface Access {
  readonly server: string
  readonly caPem: string
  readonly token: string
  readonly http: HttpsClient
}

export async function runningSystem(...flags: string[]): Promise<RunningSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-conformance-'))
  const ports = ['--port', '0', '--dashboard-port', '0']
  const options = parseOptions([...ports, '--data', folder, ...flags])
  if (options === 'help') throw new Error('a running system takes no --help')
  const errors: string[] = []
  const system = await startSystem(options, listening(errors))
  const token = tokenIn(system.kubeconfig)
  const caPem = readFileSync(dataFolder(folder).caCert, 'utf8')
  const http = httpsClient({ server: system.api, caPem, token })
  return {
    server: system.api,
    kubeconfig: system.kubeconfig,
    caPem,
    token,
    http,
    errors,
    tokenFor: (user, ...groups) => personToken(folder, user, groups),
    async stop() {
      http.close()
      await system.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function personToken(folder: string, user: string, groups: readonly string[]) {
  const { token } = await signToken(await fileSigner(dataFolder(folder), 'admin'), {
    ...defaultIssued,
    user,
    groups,
    lifetimeSeconds: lifetimeSeconds.user,
    tokenId: randomUUID(),
    nowMs: Date.now(),
  })
  return token
}

function listening(errors: string[]): LocalLog {
  return {
    say: () => {},
    entry: ({ level, message, method, path, error }) => {
      if (level === 'error') errors.push(`${message} ${method} ${path} ${String(error)}`)
    },
  }
}

function tokenIn(kubeconfig: string): string {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8'))
  return config.users[0].user.token
}
