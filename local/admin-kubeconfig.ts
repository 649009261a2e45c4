/**
 * Keeps the kubeconfig of a system on this machine working: its token is signed with the admin key and
 * replaced well before it expires. It holds a token and no credential plugin, because a plugin
 * would start Node for every kubectl command.
 */
import { randomUUID } from 'node:crypto'
import { defaultIssuerAudience, lifetimeSeconds } from '../shared/auth/tokens/claims.ts'
import { type Signer, signToken } from '../shared/auth/tokens/signer.ts'
import { kubeconfigText } from '../shared/kube/kubeconfig.ts'
import type { DataFolder } from './data-folder.ts'
import { fileSigner } from './keys.ts'
import { writePrivate } from './private-file.ts'

const REWRITE_MS = (lifetimeSeconds.user * 1000) / 2
/** A timer stands still while a laptop sleeps, and a token's expiry does not: check it often. */
const CHECK_MS = 60_000

export const adminToken = async (data: DataFolder, nowMs: number): Promise<string> =>
  await signAdminToken(await fileSigner(data, 'admin'), nowMs)

async function signAdminToken(signer: Signer, nowMs: number): Promise<string> {
  const { token } = await signToken(signer, {
    ...defaultIssuerAudience,
    user: 'admin',
    groups: ['system:masters'],
    lifetimeSeconds: lifetimeSeconds.user,
    tokenId: randomUUID(),
    nowMs,
  })
  return token
}

interface KubeconfigPlan {
  readonly data: DataFolder
  /** Default: the admin key in the data folder. */
  readonly signer?: () => Promise<Signer>
  readonly server: string
  readonly caPem: string
  /** The token could not be replaced; the next check tries again. */
  readonly onTrouble: (error: unknown) => void
}

export async function keepKubeconfig(plan: KubeconfigPlan) {
  const { data, server, caPem, onTrouble } = plan
  const { signer = () => fileSigner(data, 'admin') } = plan
  let writtenAtMs = 0
  const write = async () => {
    const nowMs = Date.now()
    const token = await signAdminToken(await signer(), nowMs)
    const facts = { server, ca: caPem, user: 'admin', auth: { token } }
    writePrivate(data.kubeconfig, `${kubeconfigText(facts)}\n`)
    writtenAtMs = nowMs
  }
  await write()
  const check = () => {
    const ageMs = Date.now() - writtenAtMs
    // A clock that was set back says nothing about the token's age.
    if (ageMs < 0 || ageMs >= REWRITE_MS) write().catch(onTrouble)
  }
  const timer = setInterval(check, CHECK_MS)
  return { stop: async () => clearInterval(timer) }
}
