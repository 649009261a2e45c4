/** Local mode in this process, on free ports and in a folder of its own, for real clients. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataFolder } from '../../local/data-folder.ts'
import { fileSigner } from '../../local/keys.ts'
import type { LocalLog } from '../../local/log.ts'
import { localFlags, readOptions } from '../../local/options.ts'
import { startSystem } from '../../local/system.ts'
import { defaultIssuerAudience, lifetimeSeconds } from '../../shared/auth/tokens/claims.ts'
import { signToken } from '../../shared/auth/tokens/signer.ts'
import { parseFlags } from '../../shared/flags/flag-set.ts'
import { type HttpsClient, httpsClient } from './https-client.ts'

export interface InProcessSystem extends Access {
  readonly kubeconfig: string
  /** For a user in these groups. */
  tokenFor(user: string, ...groups: string[]): Promise<string>
  /** Errors it logged, which no test may cause. */
  readonly errors: string[]
  stop(): Promise<void>
}

export interface Access {
  readonly server: string
  readonly caPem: string
  readonly token: string
  readonly http: HttpsClient
}

export async function startInProcess(...flags: string[]): Promise<InProcessSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-conformance-'))
  const ports = ['--port', '0', '--dashboard-port', '0', '--pods', '0']
  const { values } = parseFlags(localFlags, [...ports, '--data', folder, ...flags])
  const options = readOptions(values)
  const errors: string[] = []
  const system = await startSystem(options, errorLog(errors))
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
    tokenFor: (user, ...groups) => userToken(folder, user, groups),
    async stop() {
      http.close()
      await system.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function userToken(folder: string, user: string, groups: readonly string[]) {
  const { token } = await signToken(await fileSigner(dataFolder(folder), 'admin'), {
    ...defaultIssuerAudience,
    user,
    groups,
    lifetimeSeconds: lifetimeSeconds.user,
    tokenId: randomUUID(),
    nowMs: Date.now(),
  })
  return token
}

function errorLog(errors: string[]): LocalLog {
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
