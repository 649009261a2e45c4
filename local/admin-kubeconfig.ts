/**
 * Keeps the kubeconfig working while the process runs: its token is signed with the local admin key
 * and replaced well before it ends. A file with a token is read in no time; a credential plugin
 * would start Node per command.
 */
import { randomUUID } from 'node:crypto'
import { defaultIssued, lifetimeSeconds } from '../shared/auth/claims.ts'
import { signToken } from '../shared/auth/signer.ts'
import type { DataFolder } from './data-folder.ts'
import { fileSigner } from './keys.ts'
import { kubeconfig } from './kubeconfig.ts'
import { writePrivate } from './private-file.ts'

const REWRITE_MS = (lifetimeSeconds.user * 1000) / 2
/** A timer stands still while a laptop sleeps, and a token does not: so look often, by the clock. */
const LOOK_MS = 60_000

export async function adminToken(data: DataFolder, nowMs: number): Promise<string> {
  const { token } = await signToken(await fileSigner(data, 'admin'), {
    ...defaultIssued,
    user: 'admin',
    groups: ['system:masters'],
    lifetimeSeconds: lifetimeSeconds.user,
    tokenId: randomUUID(),
    nowMs,
  })
  return token
}

export interface KubeconfigPlan {
  readonly data: DataFolder
  readonly server: string
  readonly caPem: string
  /** It could not be replaced; it is tried again at the next look. */
  readonly onTrouble: (error: unknown) => void
}

export async function keepKubeconfig({ data, server, caPem, onTrouble }: KubeconfigPlan) {
  let writtenAtMs = 0
  const write = async () => {
    const nowMs = Date.now()
    const token = await adminToken(data, nowMs)
    writePrivate(data.kubeconfig, kubeconfig({ server, caPem, token }))
    writtenAtMs = nowMs
  }
  await write()
  const look = () => {
    const ageMs = Date.now() - writtenAtMs
    // A clock that was set back says nothing about the age.
    if (ageMs < 0 || ageMs >= REWRITE_MS) write().catch(onTrouble)
  }
  const timer = setInterval(look, LOOK_MS)
  return { value: data.kubeconfig, stop: async () => clearInterval(timer) }
}
