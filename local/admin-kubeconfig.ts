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

export async function keepKubeconfig(data: DataFolder, server: string, caPem: string) {
  const write = async () => {
    const token = await adminToken(data, Date.now())
    writePrivate(data.kubeconfig, kubeconfig({ server, caPem, token }))
  }
  await write()
  const timer = setInterval(() => void write(), REWRITE_MS)
  return { value: data.kubeconfig, stop: async () => clearInterval(timer) }
}
