/**
 * Runs a program of the user's that may hang, print too much, not exist or ignore SIGKILL: with a
 * time limit, bounded output and no shell. Never throws: a broken program must not end the beats.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

interface ChildOptions {
  readonly args?: readonly string[]
  readonly input?: string
  readonly limitMs: number
  readonly killAfterMs?: number
}

export interface ChildResult {
  /** Undefined when it was stopped or never ran. */
  readonly code?: number
  readonly output: string
  readonly problem?: string
  /** Set when it ignored SIGKILL, as when a disk does not respond: resolves at its end. */
  readonly lingers?: Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const MAX_OUTPUT_BYTES = 4_096
/** Between SIGTERM and SIGKILL, and between SIGKILL and no longer waiting. */
const KILL_AFTER_MS = 1_000
/** Its last output is read after its end, for at most this long: grandchildren may hold the pipes open. */
const DRAIN_MS = 1_000

/**
 * Not passed on: the bootstrap token, and systemd's socket, over which a container runtime would
 * announce another main process for the agent's unit.
 */
const PRIVATE = [
  'LEASEHOLD_BOOTSTRAP_TOKEN',
  'CREDENTIALS_DIRECTORY',
  'NOTIFY_SOCKET',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
]

export const childEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !PRIVATE.includes(name)))

export function runChild(program: string, options: ChildOptions): Promise<ChildResult> {
  try {
    // Its own process group, so that its children are killed with it.
    const child = spawn(program, [...(options.args ?? [])], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: childEnv(process.env),
    })
    return follow(child, options)
  } catch (error) {
    // Most failures are events; a failing fork, or a file that is being written, throws.
    return Promise.resolve({ output: '', problem: (error as Error).message })
  }
}

function follow(child: Child, options: ChildOptions): Promise<ChildResult> {
  const { limitMs, killAfterMs = KILL_AFTER_MS } = options
  const output = collect(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return new Promise((resolve) => {
    let problem: string | undefined
    const finish = (result: Omit<ChildResult, 'output'>) => {
      clearTimeout(timer)
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve({ output: output(), ...result })
    }
    const giveUp = () => finish({ problem: `${problem}, not even killed`, lingers: ended })
    const forceKill = () => {
      kill(child, 'SIGKILL')
      timer = setTimeout(giveUp, killAfterMs)
    }
    let timer = setTimeout(() => {
      problem = `no end within ${limitMs / 1_000} s`
      kill(child, 'SIGTERM')
      timer = setTimeout(forceKill, killAfterMs)
    }, limitMs)
    child.on('error', (error) => finish({ problem: error.message }))
    child.on('exit', (code) => {
      const report = () => finish(problem === undefined ? { code: code ?? undefined } : { problem })
      clearTimeout(timer)
      // After the limit its output says nothing; a program that ended by itself is read to the end.
      if (problem !== undefined) return report()
      timer = setTimeout(report, DRAIN_MS)
      child.once('close', report)
    })
    // A program that does not read its input closes the pipe, which is no error.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}

function collect({ stdout, stderr }: Child): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stdout?.on('data', (chunk: Buffer) => {
    // Reading on keeps the pipe from filling up; output over the limit is dropped.
    if (size < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - size))
    size += chunk.length
  })
  stderr?.resume()
  return () => Buffer.concat(chunks).toString('utf8')
}

function kill({ pid }: Child, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal)
  } catch {
    // Already gone.
  }
}
