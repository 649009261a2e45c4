/** A Linux machine: /proc, /sys, /etc/os-release and what Node knows. */
import { readdir, readFile, statfs } from 'node:fs/promises'
import os from 'node:os'
import type { Machine, MachineFacts } from './machine.ts'
import type { Observation, Observations } from './pressure.ts'

interface LinuxOptions {
  /** The file system whose space and inodes are watched. */
  readonly watchedPath: string
  /** Where `/proc`, `/sys` and `/etc` are found; another place in tests. */
  readonly root?: string
}

export function linuxMachine({ watchedPath, root = '' }: LinuxOptions): Machine {
  const read = (path: string) => readFile(root + path, 'utf8')
  const line = (path: string) =>
    read(path).then(
      (text) => text.trim(),
      () => '',
    )
  return {
    async facts() {
      const memory = parseMeminfo(await read('/proc/meminfo'))
      const disk = await statfs(watchedPath).catch(() => undefined)
      return {
        ...(await identity(line)),
        hostname: os.hostname(),
        kernel: os.release(),
        osImage: parseOsRelease(await line('/etc/os-release')),
        os: 'linux',
        arch: goArch(os.arch()),
        cores: os.cpus().length || os.availableParallelism(),
        memoryBytes: memory.MemTotal ?? os.totalmem(),
        swapBytes: memory.SwapTotal ?? 0,
        ...(disk && { storageBytes: disk.blocks * disk.bsize }),
        hugePages: await hugePages(root),
        addresses: outwardAddresses(os.networkInterfaces(), await line('/proc/net/route')),
      }
    },
    async observe() {
      const memory = parseMeminfo(await read('/proc/meminfo'))
      return { ...memorySignal(memory), ...(await diskSignals(watchedPath)), ...(await pids(line)) }
    },
  }
}

type Line = (path: string) => Promise<string>

async function identity(line: Line) {
  const machineId = await line('/etc/machine-id')
  return {
    machineId,
    // Readable by root only on most machines; the kubelet falls back to the machine id as well.
    systemUuid: (await line('/sys/class/dmi/id/product_uuid')) || machineId,
    bootId: await line('/proc/sys/kernel/random/boot_id'),
  }
}

/** Bytes by name; the kernel writes kibibytes, and plain counts for huge pages. */
export function parseMeminfo(text: string): Readonly<Record<string, number>> {
  const lines = text.matchAll(/^(\w+):\s+(\d+)( kB)?$/gm)
  return Object.fromEntries(
    [...lines].map(([, name, number, unit]) => [name, Number(number) * (unit ? 1024 : 1)]),
  )
}

function memorySignal({ MemTotal, MemAvailable }: Readonly<Record<string, number>>): Observations {
  if (MemTotal === undefined || MemAvailable === undefined) return {}
  return { 'memory.available': { available: MemAvailable, capacity: MemTotal } }
}

async function diskSignals(path: string): Promise<Observations> {
  const disk = await statfs(path).catch(() => undefined)
  if (!disk) return {}
  const space = { available: disk.bavail * disk.bsize, capacity: disk.blocks * disk.bsize }
  // btrfs and some network file systems count no inodes: 0 of 0 is no observation.
  const inodes: Observation | undefined =
    disk.files > 0 ? { available: disk.ffree, capacity: disk.files } : undefined
  return { 'nodefs.available': space, ...(inodes && { 'nodefs.inodesFree': inodes }) }
}

async function pids(line: Line): Promise<Observations> {
  const most = Math.min(
    Number(await line('/proc/sys/kernel/pid_max')) || Number.POSITIVE_INFINITY,
    Number(await line('/proc/sys/kernel/threads-max')) || Number.POSITIVE_INFINITY,
  )
  // The fourth field of loadavg is running/total tasks.
  const running = Number((await line('/proc/loadavg')).split(' ')[3]?.split('/')[1])
  if (!Number.isFinite(most) || !Number.isFinite(running)) return {}
  return { 'pid.available': { available: most - running, capacity: most } }
}

export function parseOsRelease(text: string): string {
  const value = /^PRETTY_NAME=(.*)$/m.exec(text)?.[1] ?? ''
  return value.replaceAll(/^["']|["']$/g, '') || 'Linux'
}

async function hugePages(root: string): Promise<MachineFacts['hugePages']> {
  const folder = `${root}/sys/kernel/mm/hugepages`
  const sizes = await readdir(folder).catch(() => [])
  const entries = await Promise.all(
    sizes.map(async (name) => {
      const kib = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1])
      const count = Number(await readFile(`${folder}/${name}/nr_hugepages`, 'utf8').catch(() => 0))
      return [pageName(kib), `${count * kib}Ki`.replace(/^0Ki$/, '0')] as const
    }),
  )
  return Object.fromEntries(entries)
}

const pageName = (kib: number) =>
  kib % 1024 ** 2 === 0 ? `hugepages-${kib / 1024 ** 2}Gi` : `hugepages-${kib / 1024}Mi`

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }
export const goArch = (arch: string): string => ARCHITECTURES[arch] ?? arch

type Interfaces = ReturnType<typeof os.networkInterfaces>

/** Addresses not local to the host, those of the default route's interface first, IPv4 first. */
export function outwardAddresses(interfaces: Interfaces, routes: string): readonly string[] {
  const preferred = /^(\S+)\t00000000\t/m.exec(routes)?.[1]
  const found = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
      .map(({ address, family }) => ({
        address,
        rank: (name === preferred ? 0 : 2) + (family === 'IPv4' ? 0 : 1),
      })),
  )
  return found.sort((a, b) => a.rank - b.rank).map(({ address }) => address)
}
