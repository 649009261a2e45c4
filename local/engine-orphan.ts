/**
 * Who else uses this data? A process that is killed outright leaves its engine behind, still
 * writing to the file. The next start ends such an orphan; a data folder whose owner lives is
 * refused.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

interface Tenants {
  readonly owner: number
  readonly engine: number
}

const pidFile = 'engine.json'
const endWithinMs = 2_000
const pollMs = 20

/**
 * Returns the pid of the living process that owns the data, after ending an engine without owner.
 */
export async function otherOwner(folder: string): Promise<number | undefined> {
  const tenants = await readTenants(folder)
  if (!tenants || !(await runs(tenants.engine, folder))) return undefined
  if (tenants.owner !== process.pid && isAlive(tenants.owner)) return tenants.owner
  process.kill(tenants.engine, 'SIGKILL')
  const untilMs = performance.now() + endWithinMs
  while (isAlive(tenants.engine) && performance.now() < untilMs) await sleep(pollMs)
  return undefined
}

export async function moveIn(folder: string, engine: number): Promise<void> {
  await writeFile(join(folder, pidFile), JSON.stringify({ owner: process.pid, engine }))
}

export const moveOut = (folder: string) => rm(join(folder, pidFile), { force: true })

/** A file cut short by a crash tells nothing, and is written anew. */
async function readTenants(folder: string): Promise<Tenants | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, pidFile), 'utf8')) as Tenants
  } catch {
    return undefined
  }
}

/** Numbers are used again: only a process that was started with this folder is its engine. */
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
