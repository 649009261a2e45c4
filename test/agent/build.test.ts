import { execFile, spawn } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleOptions } from '../../agent/bundle.ts'
import { eventually } from '../eventually.ts'
import { startMetadataService } from './machine/metadata-service.ts'
import { BOOTSTRAP, smallServer } from './small-server.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'leasehold-build-'))
const file = join(folder, 'leasehold-agent.cjs')

beforeAll(async () => {
  await build({ ...bundleOptions, outfile: file })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the built file', () => {
  it('needs nothing but Node', async () => {
    const result = await build({
      ...bundleOptions,
      outfile: file,
      write: false,
      metafile: true,
    })
    const imports = Object.values(result.metafile?.outputs ?? {}).flatMap(({ imports }) => imports)
    expect(imports.filter(({ path }) => !path.startsWith('node:'))).toEqual([])
    const inputs = Object.keys(result.metafile?.inputs ?? {})
    expect(inputs).toContain('agent/main.ts')
    expect(inputs.filter((path) => !/^(agent|shared\/kube|shared\/flags)\//.test(path))).toEqual([])
  })

  it('shows with --check what it would send, and that it reaches the service', async () => {
    const server = await smallServer()
    const args = [
      ...['--server', server.url, '--node-name', 'a', '--state-dir', folder, '--check'],
      ...['--bootstrap-token', 'abcdef.0123456789abcdef', '--zone', 'z1', '--node-ip', ''],
    ]
    const { stdout } = await run(process.execPath, [file, ...args])
    expect(stdout).toContain('service: reached')
    expect(stdout).toContain('"topology.kubernetes.io/zone": "z1"')
    expect(stdout).toContain('"leaseDurationSeconds": 40')
    expect(stdout).toMatch(/^token: .*the bootstrap token, which is accepted$/m)
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
    await server.stop()
  })

  it('tells with --check all that is wrong: the token, the state folder, the checks and the hook', async () => {
    const server = await smallServer()
    server.fault = ({ path }) => (path === '/version' ? undefined : { code: 401 })
    const args = [
      ...['--server', server.url, '--node-name', 'a', '--check', '--state-dir', '/dev/null/state'],
      ...['--bootstrap-token', 'madeup.0123456789abcdef', '--node-ip', ''],
      ...['--checks-dir', join(folder, 'none'), '--pod-hook', file],
    ]
    chmodSync(file, 0o644)
    const failed = await run(process.execPath, [file, ...args]).catch((error) => error)
    expect(failed.code).toBe(1)
    const lines = failed.stdout.split('\n').slice(0, 5)
    expect(lines).toEqual([
      expect.stringMatching(/^service: reached/),
      expect.stringMatching(/^token: .*bootstrap token, which is NOT accepted \(.*401/),
      'state:   /dev/null/state can NOT be written (ENOTDIR)',
      `checks:  ${join(folder, 'none')} can NOT be read (ENOENT)`,
      `pods:    ${file} can NOT be run (EACCES)`,
    ])
    await server.stop()
  })

  it('asks no cloud for more than a second, and says what to look at', async () => {
    const service = await startMetadataService({}, true)
    const env = { ...process.env, AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url }
    const args = ['--server', 'https://127.0.0.1:1', '--cloud-provider', 'aws', '--check']
    const failed = await run(process.execPath, [file, ...args], { env }).catch((error) => error)
    service.close()
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(
      /^leasehold-agent: --cloud-provider aws: no instance metadata.*\n$/,
    )
  })

  it('ends with a reason when the configuration is wrong', async () => {
    const failed = await run(process.execPath, [file]).catch((error) => error)
    expect(failed.code).toBe(2)
    expect(failed.stderr).toContain('--server is required')
  })

  it('beats on when nothing can be written, neither its token nor its log', async () => {
    const server = await smallServer()
    // Every write to it fails with ENOSPC, as on a full disk.
    const full = openSync('/dev/full', 'w')
    const args = ['--server', server.url, '--node-name', 'a', '--bootstrap-token', BOOTSTRAP]
    const more = ['--state-dir', '/dev/full/state', '--node-lease-duration-seconds', '1']
    const child = spawn(process.execPath, [file, ...args, ...more], { stdio: [null, full, full] })
    closeSync(full)
    try {
      await eventually('it beats', () => server.count('PUT', /leases/) >= 3)
      expect(child.exitCode).toBeNull()
    } finally {
      child.kill('SIGKILL')
      await server.stop()
    }
  })
})
