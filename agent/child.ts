/**
 * Runs a program that may hang, babble, not exist or not even die: time limit, bounded output, no
 * shell. Never throws: whatever is wrong with the user's program must not end the beats.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export interface ChildOptions {
  readonly args?: readonly string[]
  readonly input?: string
  readonly limitMs: number
  readonly insistMs?: number
}

export interface ChildResult {
  /** Undefined when it was stopped or never ran. */
  readonly code?: number
  readonly output: string
  readonly problem?: string
  /** Set when it could not even be killed, as when a disk does not answer: resolves at its end. */
  readonly lingers?: Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const MAX_OUTPUT_BYTES = 4_096
/** Between asking to stop and insisting, and between that and no longer waiting. */
const INSIST_MS = 1_000

/**
 * Ours and nobody else's: a token to join with, and systemd's socket, over which a container's
 * runtime would tell systemd that the agent's main process is another.
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
    // Its own process group, so that what it started goes with it.
    const child = spawn(program, [...(options.args ?? [])], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: childEnv(process.env),
    })
    return follow(child, options)
  } catch (error) {
    // Most of what can go wrong is an event; no memory for a fork, or a file being written, is not.
    return Promise.resolve({ output: '', problem: (error as Error).message })
  }
}

function follow(child: Child, options: ChildOptions): Promise<ChildResult> {
  const { limitMs, insistMs = INSIST_MS } = options
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
    const insist = () => {
      kill(child, 'SIGKILL')
      timer = setTimeout(giveUp, insistMs)
    }
    let timer = setTimeout(() => {
      problem = `no end within ${limitMs / 1_000} s`
      kill(child, 'SIGTERM')
      timer = setTimeout(insist, insistMs)
    }, limitMs)
    child.on('error', (error) => finish({ problem: error.message }))
    child.on('exit', (code) => {
      // Grandchildren may hold the pipes open; they are not waited for.
      setImmediate(() => finish(problem === undefined ? { code: code ?? undefined } : { problem }))
    })
    // A program that does not read its input is no fault of ours.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}

function collect({ stdout, stderr }: Child): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stdout?.on('data', (chunk: Buffer) => {
    // Reading on keeps the pipe from filling up; what is too much is dropped.
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
