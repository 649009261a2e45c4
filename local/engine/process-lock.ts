/**
 * The lock file of a data folder: which process owns it, and which engine writes to it. A process
 * killed with SIGKILL leaves its engine behind, still writing. The next start ends that orphan; a
 * folder whose owner lives is refused.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

interface LockFile {
  readonly owner: number
  readonly engine: number
}

const lockFile = 'engine.json'
const endWithinMs = 2_000
const pollMs = 20

/** The pid of another living process that owns the folder. Ends an engine whose owner is gone. */
export async function lockOwner(folder: string): Promise<number | undefined> {
  const lock = await readLockFile(folder)
  if (!lock || !(await runs(lock.engine, folder))) return undefined
  if (lock.owner !== process.pid && isAlive(lock.owner)) return lock.owner
  process.kill(lock.engine, 'SIGKILL')
  const untilMs = performance.now() + endWithinMs
  while (isAlive(lock.engine) && performance.now() < untilMs) await sleep(pollMs)
  return undefined
}

export async function lockFolder(folder: string, engine: number): Promise<void> {
  await writeFile(join(folder, lockFile), JSON.stringify({ owner: process.pid, engine }))
}

export const unlockFolder = (folder: string) => rm(join(folder, lockFile), { force: true })

/** A file cut short by a crash counts as absent. */
async function readLockFile(folder: string): Promise<LockFile | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, lockFile), 'utf8')) as LockFile
  } catch {
    return undefined
  }
}

/** Pids are reused: only a process that was started with this folder is its engine. */
async function runs(pid: number, folder: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(folder)
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
