/** `npm start` as a person meets it: the real process, its output, its port, its end. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { endProcess, type LocalProcess, startLocalProcess } from '../local-system/child-process.ts'

const folders: string[] = []
const children: ChildProcess[] = []

afterAll(async () => {
  await Promise.all(children.map((child) => endProcess(child)))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-'))
  folders.push(folder)
  return folder
}

function start(folder: string, ...flags: string[]): LocalProcess {
  const run = startLocalProcess(folder, ...flags)
  children.push(run.child)
  return run
}

const exit = async ({ child }: LocalProcess) =>
  child.exitCode ?? ((await once(child, 'exit')) as [number])[0]

const kubeconfig = (folder: string) => JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))

function get(
  folder: string,
  url: string,
  token?: string,
): Promise<{ status?: number; body: string }> {
  const [{ cluster }] = kubeconfig(folder).clusters
  const ca = Buffer.from(cluster['certificate-authority-data'], 'base64')
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: number; body: string }>()
  request(url, { ca, headers, agent: false }, (response) => {
    let body = ''
    response.on('data', (chunk) => {
      body += chunk
    })
    response.on('end', () => resolve({ status: response.statusCode, body }))
  })
    .on('error', reject)
    .end()
  return promise
}

describe.concurrent('npm start', () => {
  it('serves its API over TLS to who has a token, and stops when told to', async ({ expect }) => {
    const folder = newFolder()
    const run = start(folder, '--nodes', '3', '--zones', '3')
    const api = await run.address()
    const [{ user }] = kubeconfig(folder).users
    expect(kubeconfig(folder).clusters[0].cluster.server).toBe(api)

    expect(await get(folder, `${api}/healthz`)).toEqual({ status: 200, body: 'ok' })
    expect(await get(folder, `${api}/api/v1/nodes`)).toMatchObject({ status: 401 })
    const names = async () =>
      JSON.parse((await get(folder, `${api}/api/v1/nodes`, user.token)).body).items.map(
        (node: { metadata: { name: string } }) => node.metadata.name,
      )
    await expect.poll(names, { timeout: 20_000 }).toEqual(['host-1', 'host-2', 'host-3'])

    expect(await endProcess(run.child)).toBe(0)
    expect(run.text()).not.toContain('did not stop in time')
  })

  it('keeps what it knew across a restart on the same folder', async ({ expect }) => {
    const folder = newFolder()
    const first = start(folder, '--nodes', '1')
    const api = await first.address()
    const node = async (at: string) => {
      const [{ user }] = kubeconfig(folder).users
      return JSON.parse((await get(folder, `${at}/api/v1/nodes/host-1`, user.token)).body).metadata
        ?.uid
    }
    await expect.poll(() => node(api), { timeout: 20_000 }).toBeTruthy()
    const uid = await node(api)
    await endProcess(first.child)

    expect(await node(await start(folder).address())).toBe(uid)
  })

  it('says what to do about a taken port', async ({ expect }) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const run = start(newFolder(), '--port', String(port))
    expect(await exit(run)).toBe(1)
    expect(run.text()).toContain(`port ${port} is taken`)
    expect(run.text()).toContain('--port')
    taken.close()
  })

  it('says what to do about data that it cannot read', async ({ expect }) => {
    const folder = newFolder()
    writeFileSync(join(folder, 'dynamodb.sqlite'), 'this is no database at all, only words')
    const run = start(folder)
    expect(await exit(run)).toBe(1)
    expect(run.text()).toContain(folder)
  })

  it('says when the database under it dies, and ends', async ({ expect }) => {
    const run = start(newFolder())
    await run.address()
    const children = readFileSync(`/proc/${run.child.pid}/task/${run.child.pid}/children`, 'utf8')
    const [child = ''] = children.trim().split(' ')
    const below = readFileSync(`/proc/${child}/task/${child}/children`, 'utf8').trim()
    process.kill(Number(child), 'SIGKILL')
    expect(await exit(run)).toBe(1)
    expect(run.text()).toMatch(/DynamoDB|engine/)
    // Behind a fence the child is the relay, and the engine must go with it.
    const isGone = () => below === '' || !existsSync(`/proc/${below}/exe`)
    await expect.poll(isGone, { timeout: 10_000 }).toBe(true)
  })

  it('explains itself', async ({ expect }) => {
    const help = start(newFolder(), '--help')
    expect(await exit(help)).toBe(0)
    expect(help.text()).toContain('--node-monitor-grace-period')
    const wrong = start(newFolder(), '--nodes', 'many')
    expect(await exit(wrong)).toBe(2)
    expect(wrong.text()).toContain('--nodes many')
  })
})
