/**
 * A disk that is soon full: a tmpfs of its own, or where one may not mount, part of a shared one.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmdirSync, statfsSync } from 'node:fs'

const MIB = 1024 ** 2
const SHARED = '/dev/shm'

export interface SmallDisk {
  readonly path: string
  /** Below this it counts as full; so much ballast brings it there. */
  readonly leastMib: number
  readonly ballastMib: number
  remove(): void
}

export function smallDisk(folder: string): SmallDisk {
  mkdirSync(folder)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder])
  if (mounted.status === 0) {
    const remove = () => void spawnSync('umount', [folder])
    return { path: folder, leastMib: 4, ballastMib: 14, remove }
  }
  // Quiet enough that a few mebibytes more or less are ours.
  rmdirSync(folder)
  const { bavail, bsize } = statfsSync(SHARED)
  const leastMib = Math.floor((bavail * bsize) / MIB) - 8
  return { path: SHARED, leastMib, ballastMib: 16, remove() {} }
}
