import { execFile, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleOptions } from '../../agent/bundle.ts'
import { eventually } from '../eventually.ts'
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
    expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
    await server.stop()
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
