/** A server of one's own: reached by hosts of a network, beside another one, and gone when told to. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpTransport } from '../../agent/http.ts'
import { adminToken } from '../../local/admin-kubeconfig.ts'
import { dataFolder } from '../../local/data-folder.ts'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { eventually } from '../eventually.ts'
import { endProcess, newBootstrapToken } from '../local-system/child-process.ts'
import {
  type BuiltAgent,
  builtAgent,
  isBeating,
  isReady,
  leasePath,
  nodePath,
} from './built-agent.ts'
import type { LocalService } from './local-service.ts'

const WITHIN_MS = 40_000
const NAME = 'leasehold.test'
const folder = mkdtempSync(join(tmpdir(), 'leasehold-own-'))
let agent: BuiltAgent
/** All that a test started; ended by force if it has not ended itself. */
const children: ChildProcess[] = []

beforeAll(async () => {
  agent = await builtAgent({} as LocalService)
})
afterAll(async () => {
  await agent.stop()
  await Promise.all(children.map((each) => endProcess(each, 'SIGKILL')))
  rmSync(folder, { recursive: true })
})

interface Printing {
  readonly child: ChildProcess
  /** Everything it printed. */
  text(): string
}

function printing(child: ChildProcessWithoutNullStreams): Printing {
  children.push(child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk
    })
  return { child, text: () => printed }
}

const said = (running: Printing, what: string) =>
  eventually(
    () => `it says "${what}"; it said: ${running.text()}`,
    () => running.text().includes(what),
    WITHIN_MS,
  )

describe('a server that listens for a network', () => {
  const data = join(folder, 'network')
  const files = dataFolder(data)
  const port = () => Number(new URL(JSON.parse(readFileSync(files.endpoints, 'utf8')).api).port)

  async function start(at: number) {
    const flags = ['--listen', `127.0.0.2:${at}`, '--tls-name', NAME, '--data', data]
    const running = printing(spawn(process.execPath, ['local/main.ts', ...flags]))
    await said(running, 'Everything is kept')
    return running
  }

  /** By its name, as a host with a name server would reach it. */
  async function page(): Promise<string> {
    const ca = readFileSync(files.caCert, 'utf8')
    const call = request({ host: '127.0.0.2', port: port(), path: '/', ca, servername: NAME }).end()
    const [response] = await once(call, 'response')
    return text(response)
  }

  async function read<T>(path: string): Promise<T | undefined> {
    const server = `https://127.0.0.2:${port()}`
    const transport = httpTransport({ server, ca: readFileSync(files.caCert, 'utf8') })
    const { body } = await transport.exchange(
      { method: 'GET', path },
      await adminToken(files, Date.now()),
    )
    return body as T
  }

  it('serves hosts and the page over https, and a restart of both loses nothing', async () => {
    const first = await start(0)
    expect(first.text()).toContain(`--server https://${NAME}:${port()} --ca-file ca.crt`)
    expect(first.text()).not.toContain('http://')
    expect(await page()).toMatch(/^<!doctype html>|not built/)
    const server = ['--server', `https://127.0.0.2:${port()}`, '--ca-file', files.caCert]
    const token = ['--bootstrap-token', newBootstrapToken(data)]
    const host = agent.start('rack-1', ...server, ...token)
    await eventually(
      'it beats',
      async () => isBeating((await read<Lease>(leasePath('rack-1')))!),
      WITHIN_MS,
    )
    const before = await read<Node>(nodePath('rack-1'))
    const at = port()
    expect(await endProcess(first.child)).toBe(0)
    await endProcess(host, 'SIGKILL')
    await start(at)
    // Without the bootstrap token: what it has kept is enough.
    agent.start('rack-1', ...server, '--bootstrap-token', 'madeup.0123456789abcdef')
    await eventually(
      'it is ready',
      async () => isReady((await read<Node>(nodePath('rack-1')))!),
      WITHIN_MS,
    )
    expect((await read<Node>(nodePath('rack-1')))?.metadata.uid).toBe(before?.metadata.uid)
  })
})

/** `npm start` as a person types it, in a group of its own as a terminal makes one. */
function npmStart(...flags: readonly string[]) {
  const words = ['start', '--', '--port', '0', '--dashboard-port', '0', '--nodes', '2', ...flags]
  return printing(spawn('npm', words, { detached: true }))
}

/** Of all processes on this machine, those whose command line names the folder. */
const processesOn = (data: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data)
    } catch {
      return false
    }
  })

describe.concurrent('npm start leaves nothing behind', () => {
  const isGone = (data: string) => () =>
    processesOn(data).length === 0 && !existsSync(join(data, 'server.json'))

  it('when Ctrl-C is pressed, and says nothing but that it stops', async () => {
    const data = join(folder, 'interrupted')
    const running = npmStart('--data', data)
    await said(running, 'ZoneStateChanged')
    process.kill(-running.child.pid!, 'SIGINT')
    await eventually('it is gone', isGone(data), WITHIN_MS)
    expect(running.text()).toMatch(/\nstopping\n$/)
  })

  it('when npm is killed', async () => {
    const data = join(folder, 'orphaned')
    const running = npmStart('--data', data)
    await said(running, 'running at')
    running.child.kill('SIGKILL')
    await eventually('it is gone', isGone(data), WITHIN_MS)
  })

  it('when nothing reads what it prints any more', async () => {
    const data = join(folder, 'piped')
    const running = npmStart('--data', data)
    await said(running, 'running at')
    running.child.stdout?.destroy()
    await eventually('it is gone', isGone(data), WITHIN_MS)
  })
})

it('two starts side by side have a folder each', async () => {
  const cwd = join(folder, 'beside')
  mkdirSync(cwd)
  const main = resolve('local/main.ts')
  const start = async (...flags: readonly string[]) => {
    const ports = ['--port', '0', '--dashboard-port', '0']
    const args = [main, ...ports, '--logging-format', 'json', ...flags]
    const running = printing(spawn(process.execPath, args, { cwd }))
    await said(running, 'running at')
    expect(JSON.parse(running.text().split('\n')[0]!)).toMatchObject({ level: 'info' })
    return running
  }
  // More than join at a time.
  const first = await start('--nodes', '120')
  await said(first, '120 of 120 simulated hosts have joined')
  const kubeconfig = readFileSync(join(cwd, '.leasehold', 'kubeconfig'), 'utf8')
  const second = await start()
  expect(readFileSync(join(cwd, '.leasehold', 'kubeconfig'), 'utf8')).toBe(kubeconfig)
  expect(existsSync(join(cwd, '.leasehold-2', 'kubeconfig'))).toBe(true)
  await Promise.all([endProcess(first.child), endProcess(second.child)])
})
