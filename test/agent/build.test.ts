import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleOptions } from '../../agent/bundle.ts'
import { smallServer } from './small-server.ts'

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
    expect(inputs.filter((path) => !/^(agent|shared\/kube)\//.test(path))).toEqual([])
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
    expect(failed.code).toBe(64)
    expect(failed.stderr).toContain('--server is required')
  })
})
