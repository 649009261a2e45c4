import { mkdtempSync, rmSync } from 'node:fs'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../agent/config/config.ts'
import { nodeToRegister } from '../../agent/host.ts'
import { silentLog } from '../../agent/log.ts'
import { goArch } from '../../agent/machine/linux-machine.ts'
import { assembleAgent, isPlainText } from '../../agent/program.ts'
import { INSTANCE, startMetadataService } from './machine/metadata-service.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-program-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

it('asks for a name where the host name cannot be one', async () => {
  vi.spyOn(os, 'hostname').mockReturnValue('my_host')
  const args = ['--server', 'https://s', '--state-dir', folder]
  const config = readConfig({ args, env: {}, readFile: () => '' })
  const { signal } = new AbortController()
  await expect(assembleAgent(config, silentLog, signal)).rejects.toThrow('--node-name: "my_host"')
})

describe('on EC2', () => {
  /** What the agent would register; the address of this machine is left out. */
  async function nodeWith(...args: string[]) {
    const service = await startMetadataService(INSTANCE)
    const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url, LEASEHOLD_CLOUD_PROVIDER: 'aws' }
    const given = ['--server', 'https://s', '--state-dir', folder, '--node-ip', '0.0.0.0', ...args]
    const config = readConfig({ args: given, env, readFile: () => '' })
    const { host } = await assembleAgent(config, silentLog, new AbortController().signal)
    service.close()
    const { metadata, spec, status } = await nodeToRegister(host)
    const addresses = status?.addresses?.filter(({ type }) => type !== 'InternalIP')
    return { name: metadata.name, labels: metadata.labels, spec, addresses }
  }

  const platform = {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': goArch(os.arch()),
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': goArch(os.arch()),
  }
  const dnsName = INSTANCE['local-hostname']
  const dns = [
    { type: 'InternalDNS', address: dnsName },
    { type: 'ExternalDNS', address: INSTANCE['public-hostname'] },
  ]

  it('the Node is what cloud-provider-aws would make of it', async () => {
    expect(await nodeWith()).toEqual({
      name: dnsName,
      labels: {
        ...platform,
        'kubernetes.io/hostname': dnsName,
        'node.kubernetes.io/instance-type': 'm7g.large',
        'topology.kubernetes.io/zone': 'eu-central-1b',
        'topology.kubernetes.io/region': 'eu-central-1',
      },
      spec: { providerID: 'aws:///eu-central-1b/i-0123456789abcdef0' },
      addresses: [
        { type: 'Hostname', address: dnsName },
        { type: 'ExternalIP', address: '203.0.113.7' },
        ...dns,
      ],
    })
  })

  it('what was configured wins', async () => {
    const zone = ['--zone', 'rack-1', '--provider-id', 'own://1', '--node-name', 'db-1']
    expect(await nodeWith(...zone, '--node-external-ip', '198.51.100.1,198.51.100.2')).toEqual({
      name: 'db-1',
      labels: {
        ...platform,
        'kubernetes.io/hostname': 'db-1',
        'node.kubernetes.io/instance-type': 'm7g.large',
        'topology.kubernetes.io/zone': 'rack-1',
        'topology.kubernetes.io/region': 'eu-central-1',
      },
      spec: { providerID: 'own://1' },
      addresses: [
        { type: 'Hostname', address: 'db-1' },
        { type: 'ExternalIP', address: '198.51.100.1' },
        { type: 'ExternalIP', address: '198.51.100.2' },
        ...dns,
      ],
    })
  })
})

it.each([
  { server: 'https://leasehold.example.com', isHeard: false },
  { server: 'http://127.0.0.1:8080', isHeard: false },
  { server: 'http://[::1]:8080', isHeard: false },
  { server: 'http://localhost', isHeard: false },
  { server: 'http://127.0.0.1.example.com', isHeard: true },
  { server: 'http://10.0.0.1', isHeard: true },
])('tokens to $server can be overheard: $isHeard', ({ server, isHeard }) => {
  expect(isPlainText(server)).toBe(isHeard)
})
