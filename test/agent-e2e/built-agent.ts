/** The agent as it is shipped, one file, running on this machine against a service. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundleOptions } from '../../agent/bundle.ts'
import type { Lease, Node } from '../../shared/kube/objects.ts'
import { endProcess } from '../local-system/child-process.ts'
import type { LocalService } from './local-service.ts'

export interface BuiltAgent {
  readonly folder: string
  /** Each has its state in a folder of its name. */
  start(name: string, ...flags: string[]): ChildProcess
  /** The one page of shell, with its own words in a file. */
  shell(name: string, more: Readonly<Record<string, string>>, log: string): ShellAgent
  /** Ends all of them. */
  stop(): Promise<void>
}

export interface ShellAgent {
  /** Reaches what it waits for, too. */
  kill(signal: NodeJS.Signals): void
}

export async function builtAgent(service: LocalService): Promise<BuiltAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-agent-e2e-'))
  const file = join(folder, 'leasehold-agent.cjs')
  await build({ ...bundleOptions, outfile: file })
  const running: ChildProcess[] = []
  const shells: ShellAgent[] = []
  return {
    folder,
    start(name, ...flags) {
      const ours = {
        server: service.url,
        'ca-file': service.caFile,
        'node-name': name,
        'bootstrap-token': service.bootstrapToken,
        'state-dir': join(folder, name),
      }
      const args = Object.entries(ours).flatMap(([option, value]) => [`--${option}`, value])
      // What comes later wins: a test may say otherwise.
      const child = spawn(process.execPath, [file, ...args, ...flags], { stdio: 'ignore' })
      running.push(child)
      return child
    },
    shell(name, more, log) {
      const out = openSync(log, 'a')
      const child = spawn('sh', ['agent/sh/leasehold-agent.sh'], {
        // Its own group: the sleep it waits for goes with it.
        detached: true,
        stdio: ['ignore', out, out],
        env: {
          PATH: process.env.PATH,
          LEASEHOLD_SERVER: service.url,
          LEASEHOLD_CA_FILE: service.caFile,
          LEASEHOLD_BOOTSTRAP_TOKEN: service.bootstrapToken,
          LEASEHOLD_NODE_NAME: name,
          ...more,
        },
      })
      closeSync(out)
      const kill = (signal: NodeJS.Signals) => void (child.pid && process.kill(-child.pid, signal))
      shells.push({ kill })
      return { kill }
    },
    async stop() {
      for (const shell of shells) shell.kill('SIGKILL')
      await Promise.all(running.map((each) => endProcess(each, 'SIGKILL')))
      rmSync(folder, { recursive: true })
    },
  }
}

export const nodePath = (name: string) => `/api/v1/nodes/${name}`
export const leasePath = (name: string) =>
  `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`

export const condition = (node: Node, type: string) =>
  node.status?.conditions?.find((each) => each.type === type)
export const isReady = (node: Node) => condition(node, 'Ready')?.status === 'True'
export const isUnknown = (node: Node) => condition(node, 'Ready')?.status === 'Unknown'
export const isBeating = (lease: Lease) => lease.spec?.renewTime !== undefined
