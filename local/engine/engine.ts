/**
 * Runs the embedded DynamoDB, `dynoxide`, as a child process: starts it, behind a fence if asked,
 * waits until it answers, reports a crash.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchFenced } from './fence.ts'
import { lockFolder, lockOwner, unlockFolder } from './process-lock.ts'
import { maintainStreams } from './stream-maintenance.ts'

interface EngineOptions {
  /** Where the data is kept; without it, it is deleted with the engine. */
  readonly dataDir?: string
  /** Called once if the engine exits without having been stopped, with a message for the user. */
  readonly onCrash?: (why: string) => void
  /** The program. Default: the one npm installed. */
  readonly binary?: string
  /**
   * Behind a socket that only this user may open, where the system allows it. Tests and benchmarks
   * hand the address to programs that know TCP only, and hold nothing worth a fence.
   */
  readonly isFenced?: boolean
}

export interface Engine {
  readonly endpoint: string
  /** Behind a fence, the unix socket at which the endpoint answers. */
  readonly socketPath?: string
  /** Why there is no fence though one was asked for. */
  readonly unfenced?: string
  readonly pid: number
  /** SIGTERM, then SIGKILL. Calling it again does nothing. */
  stop(): Promise<void>
}

/** The engine takes any credentials, and the SDK demands some. */
export const engineCredentials = { accessKeyId: 'local', secretAccessKey: 'local' }
export const engineRegion = 'us-east-1'

const startWithinMs = 10_000
const stopWithinMs = 1_500
const pollMs = 20
/** The port is free when chosen and may be taken a moment later. */
const portTries = 3
const databaseFile = 'dynamodb.sqlite'

/** Its message says what to do. */
class EngineError extends Error {}

export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const binary = options.binary ?? engineBinary()
  if (!existsSync(binary)) throw new EngineError(missing(`${binary} is not there`))
  const folder = options.dataDir ?? (await mkdtemp(join(scratch(), 'leasehold-')))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const owner = await lockOwner(folder)
  if (owner !== undefined) throw new EngineError(inUse(folder, owner))
  const file = join(folder, databaseFile)
  await keepPrivate(folder)
  const running = await launch(binary, file, options.isFenced ?? false)
  await lockFolder(folder, running.pid)
  return supervised(running, folder, options)
}

/** SQLite keeps the mode of a file that is there. Others could read the database around the engine. */
async function keepPrivate(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(databaseFile)) await chmod(join(folder, name), 0o600)
}

async function launch(binary: string, file: string, isFenced: boolean): Promise<Running> {
  if (!isFenced) return launchOpen(binary, file)
  const fenced = await launchFenced({ binary, args: ['--db-path', file], scratch: scratch() })
  if (fenced.kind === 'died') throw new EngineError(failed(fenced.said, file))
  if (fenced.kind === 'unfenced') {
    return { ...(await launchOpen(binary, file)), unfenced: fenced.why }
  }
  return { ...fenced, file, endpoint: 'http://localhost', pid: fenced.enginePid }
}

async function launchOpen(binary: string, file: string): Promise<Running> {
  for (let tries = 1; ; tries += 1) {
    const launched = await tryPort(binary, file)
    if (launched.kind === 'ready') return launched
    if (!launched.portTaken || tries === portTries)
      throw new EngineError(failed(launched.said, file))
  }
}

/** The npm package of this platform's binary. */
export function engineBinary(platform = process.platform, arch = process.arch): string {
  const name = `@dynoxide/${platform}-${arch}`
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return join(dirname(manifest), platform === 'win32' ? 'dynoxide.exe' : 'dynoxide')
  } catch (cause) {
    throw new EngineError(missing(`the npm package ${name} is not installed`), { cause })
  }
}

/** Linux keeps /dev/shm in memory; elsewhere a folder on disk works too, only slower. */
const scratch = () => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

interface Running {
  readonly kind: 'ready'
  /** Ends when the engine ends; behind a fence it is the relay. */
  readonly child: ChildProcess
  readonly pid: number
  readonly endpoint: string
  readonly socketPath?: string
  readonly unfenced?: string
  readonly file: string
  readonly said: () => string
  /** Removes what the launch has put into the file system. */
  readonly clean?: () => Promise<void>
}

type Tried = Running | { readonly kind: 'died'; readonly said: string; readonly portTaken: boolean }

async function tryPort(binary: string, file: string): Promise<Tried> {
  const port = await freePort()
  const args = ['--host', '127.0.0.1', '--port', String(port), '--db-path', file]
  const before = process.umask(0o077)
  // In a group of its own: Ctrl-C is for the server, which stops the engine last.
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  process.umask(before)
  let text = ''
  const onOutput = (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-2_000)
  }
  child.stdout?.on('data', onOutput)
  child.stderr?.on('data', onOutput)
  child.on('error', (error) => onOutput(Buffer.from(String(error))))
  const endpoint = `http://127.0.0.1:${port}`
  if (await answers(endpoint, child))
    return { kind: 'ready', child, pid: child.pid!, endpoint, file, said: () => text.trim() }
  child.kill('SIGKILL')
  return { kind: 'died', said: text.trim(), portTaken: /address.*in use/i.test(text) }
}

async function answers(endpoint: string, child: ChildProcess): Promise<boolean> {
  const untilMs = performance.now() + startWithinMs
  while (performance.now() < untilMs && child.exitCode === null && child.pid !== undefined) {
    try {
      await fetch(endpoint, { signal: AbortSignal.timeout(1_000) })
      return true
    } catch {
      // Not listening yet.
      await sleep(pollMs)
    }
  }
  return false
}

function supervised(
  { child, pid, endpoint, socketPath, unfenced, file, said, clean }: Running,
  folder: string,
  { dataDir, onCrash }: EngineOptions,
): Engine {
  const streams = maintainStreams(file)
  const died = once(child, 'exit')
  let stopping: Promise<void> | undefined

  const stop = async () => {
    streams.stop()
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const ended = await Promise.race([died, sleep(stopWithinMs, 'late' as const)])
      if (ended === 'late') child.kill('SIGKILL')
      await died
    }
    await unlockFolder(folder)
    await clean?.()
    if (!dataDir) await rm(folder, { recursive: true, force: true })
  }

  died.then(([code, signal]) => {
    if (stopping) return
    streams.stop()
    // Where the relay died, the engine behind it is left.
    if (socketPath) endOrphan(pid)
    onCrash?.(crashed(code ?? signal, said()))
  })
  return {
    endpoint,
    ...(socketPath && { socketPath }),
    ...(unfenced && { unfenced }),
    pid,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

function endOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new EngineError('no free port')
  return address.port
}

const missing = (why: string) =>
  `The embedded DynamoDB cannot start: ${why}. Run "npm ci --include=optional" on Linux x64, or ` +
  'start any DynamoDB (DynamoDB Local, LocalStack) and set DYNAMODB_ENDPOINT to its address.'

const failed = (said: string, file: string) =>
  `The embedded DynamoDB did not start${quoted(said)}. ` +
  `If its data is damaged, move ${file} away and start again.`

const crashed = (how: string | number, said: string) =>
  `The embedded DynamoDB ended unexpectedly (${how})${quoted(said)}. ` +
  'Start again; with --data nothing that was acknowledged is lost.'

const inUse = (folder: string, owner: number) =>
  `The data in ${folder} is in use by process ${owner}. Stop that, or choose another folder.`

const quoted = (said: string) => (said ? `; it said: ${said}` : '')
