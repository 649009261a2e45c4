/** @kubernetes/client-node, pointed at a running system as its users point it at a cluster. */
import { KubeConfig } from '@kubernetes/client-node'
import type { Access } from '../local-system/in-process.ts'

export function kubeConfigFor({ server, caPem, token }: Access): KubeConfig {
  const config = new KubeConfig()
  const caData = Buffer.from(caPem).toString('base64')
  config.loadFromClusterAndUser(
    { name: 'leasehold', server, caData, skipTLSVerify: false },
    { name: 'admin', token },
  )
  return config
}
