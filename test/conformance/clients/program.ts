/** Runs a program that is not ours: its output is shown as it comes, and kept to be counted. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Lines to leave out. */
  readonly noise?: RegExp
}

export interface Ended {
  readonly isSuccess: boolean
  readonly lines: readonly string[]
}

/** Many times what the slowest takes: a program that hangs is killed. */
const LONGEST_MS = 15 * 60_000

export async function show({ command, args, env, noise }: Program): Promise<Ended> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    timeout: LONGEST_MS,
  })
  const lines: string[] = []
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', (line) => {
      if (noise?.test(line)) return
      console.log(line)
      lines.push(line)
    })
  }
  const [code] = await once(child, 'close')
  return { isSuccess: code === 0, lines }
}

/** What a program prints that is not to be seen. */
export async function ask(command: string, ...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)
  const { stdout } = await run(command, args, { timeout: LONGEST_MS })
  return stdout.trim()
}
