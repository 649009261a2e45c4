/** What the Docker engine of this machine runs, and how its containers reach this machine. */
import { spawnSync } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { UsageError } from '../../shared/flags/flag-set.ts'
import type { Components } from '../components.ts'
import type { Architecture } from './template.ts'

function docker(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('docker', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const architectures: Readonly<Record<string, Architecture>> = { amd64: 'x86_64', arm64: 'arm64' }

/** That of the engine, which need not be this machine's. */
export function dockerArchitecture(): Architecture {
  const arch = docker('version', '--format', '{{.Server.Arch}}')
  if (arch === undefined)
    throw new UsageError(
      'no Docker engine answers: start it, or set DOCKER_HOST ("docker version")',
    )
  const found = architectures[arch]
  if (found) return found
  throw new UsageError(`the Docker engine runs ${arch}, and Lambda only x86_64 and arm64`)
}

/**
 * An address at which containers reach what listens on this machine's loopback. On Linux they
 * reach only the bridge, so a relay listens there and nowhere else; Docker Desktop has its own.
 */
export async function bridgeEndpoint(running: Components, endpoint: string): Promise<string> {
  const { hostname, port } = new URL(endpoint)
  const gateway = docker('network', 'inspect', 'bridge', '-f', '{{(index .IPAM.Config 0).Gateway}}')
  const direct = `http://host.docker.internal:${port}`
  if (!gateway) return direct
  const relay = createServer((inner) => {
    const outer = connect(Number(port), hostname)
    inner.pipe(outer).pipe(inner)
    for (const socket of [inner, outer])
      socket.on('error', () => [inner, outer].map((s) => s.destroy()))
  })
  const listening = await new Promise<boolean>((resolve) => {
    relay.once('error', () => resolve(false))
    relay.listen(0, gateway, () => resolve(true))
  })
  if (!listening) return direct
  await running.add('relay', () => ({ stop: async () => void relay.close() }))
  const address = relay.address()
  const relayPort = typeof address === 'object' ? address?.port : port
  return `http://host.docker.internal:${relayPort}`
}
