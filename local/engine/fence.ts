/**
 * The engine speaks TCP only, asks for no secret and answers every web page. So it is started in a
 * network namespace of its own, behind a unix socket with mode 0600 (see relay.ts). Where the kernel
 * or a container does not allow that, the caller learns why and starts it in the open.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

type Fenced =
  | {
      readonly kind: 'ready'
      readonly child: ChildProcess
      readonly enginePid: number
      readonly socketPath: string
      readonly said: () => string
      readonly clean: () => Promise<void>
    }
  | { readonly kind: 'died'; readonly said: string }
  | { readonly kind: 'unfenced'; readonly why: string }

interface FencePlan {
  readonly binary: string
  /** Without host and port. */
  readonly args: readonly string[]
  /** For the socket: a unix socket's path has at most 107 bytes, which a data folder may exceed. */
  readonly scratch: string
}

/** Every port of a new namespace is free. */
const PORT = '8000'
const RELAY = join(import.meta.dirname, 'relay.ts')
/** A new namespace has a loopback device, which is down. Some users have no sbin in their path. */
const UP = 'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && exec "$0" "$@"'
const SAID_CHARACTERS = 2_000

/** Root needs no user namespace, and has none in some containers; other users need one. */
const ways: readonly (readonly string[])[] = [
  ...(process.getuid?.() === 0 ? [['--net']] : []),
  ['--user', '--map-root-user', '--net'],
]

export async function launchFenced(plan: FencePlan): Promise<Fenced> {
  if (process.platform !== 'linux') {
    return { kind: 'unfenced', why: `${process.platform} has no network namespaces` }
  }
  let why = ''
  for (const way of ways) {
    const launched = await launchIn(way, plan)
    if (launched.kind !== 'unfenced') return launched
    why = launched.why
  }
  return { kind: 'unfenced', why }
}

async function launchIn(way: readonly string[], plan: FencePlan): Promise<Fenced> {
  const folder = await mkdtemp(join(plan.scratch, 'leasehold-socket-'))
  const clean = () => rm(folder, { recursive: true, force: true })
  const socketPath = join(folder, 'dynamodb.sock')
  const engine = [plan.binary, '--host', '127.0.0.1', '--port', PORT, ...plan.args]
  const relay = [process.execPath, RELAY, socketPath, PORT, ...engine]
  // In a group of its own: Ctrl-C is for the server, which stops the engine last.
  const child = spawn('unshare', [...way, '--', 'sh', '-c', UP, ...relay], {
    stdio: 'pipe',
    detached: true,
  })
  let said = ''
  let told = ''
  const ended = once(child, 'close').catch((error: Error) => {
    said = error.message
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-SAID_CHARACTERS)
  })
  const ready = new Promise<number>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      told = `${told}${chunk}`.slice(-SAID_CHARACTERS)
      const [, pid] = /^ready (\d+)$/m.exec(told) ?? []
      if (pid) resolve(Number(pid))
    })
  })
  const enginePid = await Promise.race([ready, ended])
  if (typeof enginePid === 'number') {
    return { kind: 'ready', child, enginePid, socketPath, said: () => said.trim(), clean }
  }
  await clean()
  const isInside = told.startsWith('fenced')
  return isInside
    ? { kind: 'died', said: said.trim() }
    : { kind: 'unfenced', why: said.trim() || 'unshare failed' }
}
