/**
 * An EventBridge and an SQS to talk to over HTTP: the moto server, from PyPI, in a virtual
 * environment of its own.
 *
 * It needs Python and a package index, which not every machine has, so it is probed for and the
 * probe's answer is plain: a server, or the reason why there is none. The first run installs it (a
 * minute or two), later ones find it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fnv1a } from '../../shared/kube/fnv.ts'

export type Probe =
  | { readonly kind: 'ready'; readonly program: string }
  | { readonly kind: 'absent'; readonly why: string }

export interface Moto {
  readonly endpoint: string
  stop(): Promise<void>
}

/**
 * Only what the server itself needs: the `server` extra would bring every service's tools along.
 */
const packages = ['moto[events,sqs]>=5.1,<6', 'flask', 'flask-cors']
/** Another list is another environment. */
const folder = `../../node_modules/.cache/leasehold/moto-${fnv1a(packages.join())}`
const home = fileURLToPath(new URL(folder, import.meta.url))
const program = join(home, 'bin', 'moto_server')
const installMs = 5 * 60_000
const startMs = 60_000

export async function probeMoto(): Promise<Probe> {
  if (existsSync(program)) return { kind: 'ready', program }
  const run = promisify(execFile)
  try {
    await mkdir(dirname(home), { recursive: true })
    await run('python3', ['-m', 'venv', home], { timeout: installMs })
    const install = ['-m', 'pip', 'install', '--quiet', ...packages]
    await run(join(home, 'bin', 'python'), install, { timeout: installMs })
    return { kind: 'ready', program }
  } catch (error) {
    // Half an environment would pass for a whole one next time.
    await rm(home, { recursive: true, force: true })
    const { stderr = '', message } = error as { stderr?: string; message: string }
    return { kind: 'absent', why: stderr.trim().split('\n').at(-1) || message }
  }
}

export async function startMoto(server: string): Promise<Moto> {
  // By the environment's own Python: the script names it by a path that a moved checkout no longer has.
  const python = join(dirname(server), 'python')
  const args = [server, '-H', '127.0.0.1', '-p', '0']
  const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const died = once(child, 'exit')
  const timer = setTimeout(() => child.kill(), startMs)
  try {
    const endpoint = await addressOf(child)
    return {
      endpoint,
      async stop() {
        child.kill()
        await died
      },
    }
  } finally {
    clearTimeout(timer)
  }
}

/** It takes a free port and says which. */
async function addressOf(child: ChildProcess): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line)
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (address) {
      // Nobody reads its log, and a full pipe would stop it.
      child.stderr!.resume()
      child.stdout!.resume()
      return address
    }
  }
  throw new Error(`the moto server did not start: ${said.join('\n')}`)
}
