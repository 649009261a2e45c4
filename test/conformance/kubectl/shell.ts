/** Types commands into a shell where `kubectl` is one chosen version with a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Kubectl } from './binaries.ts'

export interface Shell {
  /** Both outputs in the order they came, and a last line that tells an exit code other than 0. */
  type(command: string): Promise<string>
  /** For a command that goes on until it is stopped. */
  start(command: string): ChildProcess
  remove(): void
}

export const MANIFESTS = new URL('../manifests/', import.meta.url).pathname

export function shellFor(
  kubectl: Kubectl,
  kubeconfig: string,
  variables: Readonly<Record<string, string>> = {},
): Shell {
  // kubectl remembers for six hours what a server offers: a home of its own keeps runs apart.
  const home = mkdtempSync(join(tmpdir(), `kubectl-${kubectl.name}-`))
  symlinkSync(kubectl.path, join(home, 'kubectl'))
  const env = {
    PATH: `${home}:${process.env.PATH}`,
    HOME: home,
    KUBECONFIG: kubeconfig,
    TZ: 'UTC',
    LC_ALL: 'C',
    ...variables,
  }
  const start = (command: string) =>
    spawn('bash', ['-c', `exec 2>&1; ${command}`], {
      cwd: MANIFESTS,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  return {
    start,
    async type(command) {
      const child = start(command)
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
      const [output, code] = await Promise.all([text(child.stdout!), ended])
      return code === 0 ? output : `${output}[exit ${code}]\n`
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}
