/** `npx leasehold verify` on local mode, as a person runs it: what it says, and what it leaves. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { httpTransport } from '../../agent/http.ts'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { endProcess, type LocalProcess, startLocalProcess } from '../local-system/child-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-verify-'))
const quick = [
  ...['--node-monitor-grace-period', '4s', '--node-monitor-period', '250ms'],
  ...['--node-eviction-settle', '500ms'],
]
const command = ['local/cli/main.ts', 'verify', '--data', folder]
const steps = ['join', 'beat', 'unknown', 'taint', 'evict', 'told', 'return', 'leave']
let local: LocalProcess
let server: string

beforeAll(async () => {
  local = startLocalProcess(folder, ...quick)
  server = await local.address()
})
afterAll(async () => {
  await endProcess(local.child)
  rmSync(folder, { recursive: true, force: true })
})

/** Names of the objects at a path, as an administrator sees them. */
async function namesAt(path: string): Promise<readonly string[]> {
  const { users, clusters } = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
  const { exchange } = httpTransport({ server, ca })
  const { body } = await exchange({ method: 'GET', path }, users[0].user.token)
  return (body as { readonly items: readonly KubeObject[] }).items.map(
    ({ metadata }) => metadata.name ?? '',
  )
}

async function remains(): Promise<readonly string[]> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
  const lists = ['/api/v1/nodes', '/api/v1/pods', leases].map(namesAt)
  const list = ['local/cli/main.ts', 'token', 'bootstrap', 'list', '--data', folder]
  const { stdout: tokens } = await promisify(execFile)(process.execPath, list)
  return [...(await Promise.all(lists)).flat(), ...tokens.trim().split('\n').slice(1)]
}

it('sees a host marked, tainted, evicted and told of, says what a beat cost, removes all', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, command)
  const lines = stdout.trim().split('\n')
  expect(lines.slice(3, -1).map((line) => line.split(' ')[0])).toEqual(steps)
  expect(lines.find((line) => line.startsWith('beat'))).toContain('write units 1 ')
  expect(lines.at(-1)).toMatch(/^verified in \d+\.\d s: what it made is removed$/)
  expect(await remains()).toEqual([])
})

it('removes what it made when it is interrupted, and ends with 1', async () => {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said += text
    })
  const exited = once(child, 'exit')
  await eventually(
    () => `it waits for the mark: ${said}`,
    () => said.includes('unknown ...'),
    30_000,
  )
  child.kill('SIGINT')
  expect(await exited).toEqual([1, null])
  expect(said.trim().split('\n').at(-1)).toContain(
    'NOT verified: interrupted; what it made is removed',
  )
  expect(await remains()).toEqual([])
})
