/** `npm start` as a process of its own, on free ports and on a data folder that the test gives. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '../eventually.ts'

export interface LocalProcess {
  readonly child: ChildProcess
  /** Everything it printed. */
  text(): string
  /** The api's address, once it serves. */
  address(): Promise<string>
}

const START_MS = 40_000

/** A flag that is given twice counts as given last. */
export function startLocalProcess(folder: string, ...flags: readonly string[]): LocalProcess {
  const args = ['local/main.ts', '--port', '0', '--dashboard-port', '0', '--data', folder, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk
    })
  const isServing = () => text.includes('running at https')
  return {
    child,
    text: () => text,
    async address() {
      await eventually(() => `local mode serves; it printed: ${text}`, isServing, START_MS)
      return /https:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ''
    },
  }
}

/** Sends the signal and waits for the end; returns the exit code. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit')
    if (child.kill(signal)) await exit
  }
  return child.exitCode
}

/** With the command line, as an operator makes one. */
export const newBootstrapToken = (folder: string): string =>
  leasehold('token', 'bootstrap', 'create', '--data', folder)

export const newNodeToken = (folder: string, name: string): string =>
  leasehold('token', 'create', '--node', name, '--data', folder)

function leasehold(...words: readonly string[]): string {
  const args = ['local/cli/main.ts', ...words]
  return execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }).trim()
}
