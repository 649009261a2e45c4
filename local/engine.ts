/**
 * Runs the embedded DynamoDB, `dynoxide`, as a child on loopback: starts it, waits for it, notices
 * its death.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { moveIn, moveOut, otherOwner } from './engine-orphan.ts'
import { tendStreams } from './engine-streams.ts'

export interface EngineOptions {
  /** Where the data survives; without it everything is gone with the engine. */
  readonly dataDir?: string
  /** Called once if the engine dies without having been stopped, with a sentence for the user. */
  readonly onCrash?: (why: string) => void
  /** The program. Default: the one npm installed. */
  readonly binary?: string
}

export interface Engine {
  readonly endpoint: string
  readonly pid: number
  /** Ends the child; in time or by force. Calling it again does nothing. */
  stop(): Promise<void>
}

/** Local credentials: the engine takes any, the SDK insists on some. */
export const engineCredentials = { accessKeyId: 'local', secretAccessKey: 'local' }
export const engineRegion = 'us-east-1'

const startWithinMs = 10_000
const stopWithinMs = 1_500
const pollMs = 20
/** The port is free when chosen and may be taken a moment later. */
const portTries = 3
const databaseFile = 'dynamodb.sqlite'

/** What went wrong, in a sentence that says what to do. */
export class EngineError extends Error {}

export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const binary = options.binary ?? engineBinary()
  if (!existsSync(binary)) throw new EngineError(missing(`${binary} is not there`))
  const folder = options.dataDir ?? (await mkdtemp(join(scratch(), 'leasehold-')))
  await mkdir(folder, { recursive: true })
  const owner = await otherOwner(folder)
  if (owner !== undefined) throw new EngineError(inUse(folder, owner))
  const file = join(folder, databaseFile)
  for (let tries = 1; ; tries += 1) {
    const running = await launch(binary, file)
    if (running.kind === 'ready') {
      await moveIn(folder, running.child.pid!)
      return supervised(running, folder, options)
    }
    if (!running.portTaken || tries === portTries) throw new EngineError(failed(running.said, file))
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

/** Linux keeps this folder in memory; elsewhere a folder on disk does as well, only slower. */
const scratch = () => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

type Launched =
  | {
      readonly kind: 'ready'
      readonly child: ChildProcess
      readonly endpoint: string
      readonly file: string
      readonly said: () => string
    }
  | { readonly kind: 'died'; readonly said: string; readonly portTaken: boolean }

async function launch(binary: string, file: string): Promise<Launched> {
  const port = await freePort()
  const args = ['--host', '127.0.0.1', '--port', String(port), '--db-path', file]
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  const hear = (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-2_000)
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  child.on('error', (error) => hear(Buffer.from(String(error))))
  const endpoint = `http://127.0.0.1:${port}`
  if (await answers(endpoint, child))
    return { kind: 'ready', child, endpoint, file, said: () => text.trim() }
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
  { child, endpoint, file, said }: Extract<Launched, { kind: 'ready' }>,
  folder: string,
  { dataDir, onCrash }: EngineOptions,
): Engine {
  const streams = tendStreams(file)
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
    await moveOut(folder)
    if (!dataDir) await rm(folder, { recursive: true, force: true })
  }

  died.then(([code, signal]) => {
    if (stopping) return
    streams.stop()
    onCrash?.(crashed(code ?? signal, said()))
  })
  return {
    endpoint,
    pid: child.pid!,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
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
