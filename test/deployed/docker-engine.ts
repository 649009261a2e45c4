/**
 * A Docker engine for a lane: the one that answers already, or a daemon of our own with folders,
 * socket and networks that are all removed again.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DockerEngine {
  /** For `DOCKER_HOST`. */
  readonly host: string
  stop(): Promise<void>
}

/** The lane cannot be set up on this machine: skipped, exit code 75. */
export class CannotSetUp extends Error {}

const START_MS = 30_000
const STOP_MS = 15_000

export async function dockerEngine(): Promise<DockerEngine> {
  const given = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
  if (answers(given)) return { host: given, stop: async () => {} }
  for (const [program, from] of [
    ['dockerd', 'docker.io'],
    ['docker', 'docker.io'],
    ['ip', 'iproute2'],
  ] as const)
    await needDebian(program, from)
  return await startDaemon()
}

const answers = (host: string) =>
  spawnSync('docker', ['-H', host, 'version'], { stdio: 'ignore' }).status === 0

/** Installs a package of Debian unless its program is there. */
export async function needDebian(program: string, from: string): Promise<void> {
  const isThere = () => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  if (isThere()) return
  const quiet = { stdio: 'ignore', timeout: 300_000 } as const
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', from], { ...quiet, env })
  if (!isThere()) throw new CannotSetUp(`${program} is not there and ${from} cannot be installed`)
}

/**
 * A bridge of its own, and neither firewall rules nor forwarding: containers need to reach this
 * machine and this machine published ports, nothing else. So nothing of it stays behind.
 */
const BRIDGE = 'lh-lane0'
export const BRIDGE_ADDRESS = '172.31.249.1'
const NO_RULES = ['--iptables=false', '--ip6tables=false', '--ip-forward=false', '--ip-masq=false']

async function startDaemon(): Promise<DockerEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-docker-'))
  command('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
  command('ip', 'addr', 'add', `${BRIDGE_ADDRESS}/24`, 'dev', BRIDGE)
  const host = `unix://${join(folder, 'sock')}`
  const log = openSync(join(folder, 'log'), 'w')
  const folders = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')]
  const rest = ['--pidfile', join(folder, 'pid'), '--bridge', BRIDGE, '-H', host, ...NO_RULES]
  const child = spawn('dockerd', [...folders, ...rest], { stdio: ['ignore', log, log] })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await Promise.race([exited, sleep(STOP_MS)])
    child.kill('SIGKILL')
    command('ip', 'link', 'del', BRIDGE)
    for (const mount of mountsBelow(folder)) command('umount', '-l', mount)
    rmSync(folder, { recursive: true, force: true })
  }
  const untilMs = Date.now() + START_MS
  while (Date.now() < untilMs && child.exitCode === null) {
    if (answers(host)) return { host, stop }
    await sleep(200)
  }
  const said = spawnSync('tail', ['-n', '3', join(folder, 'log')], { encoding: 'utf8' }).stdout
  await stop()
  throw new CannotSetUp(`no Docker engine runs here: ${said}`)
}

const command = (name: string, ...args: string[]) => spawnSync(name, args, { stdio: 'ignore' })

const mountsBelow = (folder: string) =>
  spawnSync('sh', ['-c', `awk '{print $2}' /proc/mounts | grep '^${folder}' | sort -r`], {
    encoding: 'utf8',
  })
    .stdout.split('\n')
    .filter(Boolean)
