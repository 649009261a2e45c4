/**
 * A containerd of its own for a kubelet: its folders, its socket, and a network that is there in name
 * only. containerd calls itself ready when it has read a network configuration; without a plugin no
 * container gets an address, which nothing here needs.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../../eventually.ts'
import { ask } from '../clients/program.ts'

export interface Running {
  readonly process: ChildProcess
  /** Its last lines, for a failure that needs them. */
  readonly lines: string[]
  stop(): Promise<void>
}

const KEPT_LINES = 40

export function start(command: string, args: readonly string[]): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close').catch(() => {})
  const lines: string[] = []
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter(Boolean))
      lines.splice(0, lines.length - KEPT_LINES)
    })
  }
  return {
    process: child,
    lines,
    async stop() {
      // One that was stopped with SIGSTOP hears nothing else.
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What a kubelet mounts, its own folder first of all, stays when it is killed. */
export async function unmountBelow(folder: string): Promise<void> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  const places = lines.map((line) => line.split(' ')[4] ?? '')
  const own = places.filter((place) => place.startsWith(`${folder}/`))
  for (const place of own.toReversed()) await ask('umount', '-l', place)
}

const START_MS = 60_000

export async function startContainerd(folder: string): Promise<Running & { socket: string }> {
  const socket = join(folder, 'containerd.sock')
  const network = join(folder, 'net.d')
  await mkdir(network, { recursive: true })
  const loopback = { cniVersion: '0.4.0', name: 'none', plugins: [{ type: 'loopback' }] }
  await writeFile(join(network, '10-none.conflist'), JSON.stringify(loopback))
  const file = join(folder, 'containerd.toml')
  await writeFile(
    file,
    [
      'version = 2',
      `root = "${join(folder, 'root')}"`,
      `state = "${join(folder, 'state')}"`,
      `[grpc]\n  address = "${socket}"`,
      '[plugins."io.containerd.grpc.v1.cri".containerd]\n  snapshotter = "native"',
      `[plugins."io.containerd.grpc.v1.cri".cni]\n  conf_dir = "${network}"`,
      '',
    ].join('\n'),
  )
  const running = start('containerd', ['--config', file])
  const answers = async () => {
    try {
      await ask('ctr', '--address', socket, 'version')
      return true
    } catch {
      return false
    }
  }
  try {
    await eventually(() => running.lines.join('\n'), answers, START_MS)
  } catch (error) {
    await running.stop()
    throw error
  }
  return { ...running, socket }
}
