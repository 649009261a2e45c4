/** Runs a program that may hang, babble or not exist: time limit, bounded output, no shell. */
import { spawn } from 'node:child_process'

export interface ChildOptions {
  readonly args?: readonly string[]
  readonly input?: string
  readonly limitMs: number
}

export interface ChildResult {
  /** Undefined when it was stopped or never ran. */
  readonly code?: number
  readonly output: string
  readonly problem?: string
}

const MAX_OUTPUT_BYTES = 4_096
/** Between asking to stop and insisting. */
const INSIST_MS = 1_000

export function runChild(program: string, options: ChildOptions): Promise<ChildResult> {
  return new Promise((resolve) => {
    // Its own process group, so that what it started goes with it.
    const child = spawn(program, [...(options.args ?? [])], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const chunks: Buffer[] = []
    let size = 0
    let problem: string | undefined
    const collect = (chunk: Buffer) => {
      // Reading on keeps the pipe from filling up; what is too much is dropped.
      if (size < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - size))
      size += chunk.length
    }
    const kill = (signal: NodeJS.Signals) => {
      try {
        if (child.pid) process.kill(-child.pid, signal)
      } catch {
        // Already gone.
      }
    }
    const limit = setTimeout(() => {
      problem = `no end within ${options.limitMs / 1_000} s`
      kill('SIGTERM')
      insist = setTimeout(() => kill('SIGKILL'), INSIST_MS)
    }, options.limitMs)
    let insist: NodeJS.Timeout | undefined
    child.stdout.on('data', collect)
    child.stderr.resume()
    // A program that does not read its input is no fault of ours.
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
    child.on('error', (error) => {
      problem = error.message
      finish(undefined)
    })
    child.on('exit', (code) => {
      // Grandchildren may hold the pipes open; they are not waited for.
      setImmediate(() => finish(code ?? undefined))
    })

    function finish(code: number | undefined) {
      clearTimeout(limit)
      clearTimeout(insist)
      child.stdout.destroy()
      child.stderr.destroy()
      const output = Buffer.concat(chunks).toString('utf8')
      resolve(problem === undefined ? { code, output } : { output, problem })
    }
  })
}
