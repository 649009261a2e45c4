/**
 * Which process runs on a data folder? Two starts in one folder would take over each other's
 * kubeconfig, addresses and control socket. A file names the process that has claimed it; that of a
 * process that is gone counts for nothing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Claim =
  | { readonly kind: 'claimed'; readonly folder: string; stop(): Promise<void> }
  | { readonly kind: 'taken'; readonly pid: number }

const CLAIM = 'server.json'
/** As many starts side by side as one machine will see. */
const MOST_BESIDE = 9
const LOOK_MS = 5_000

export function claimFolder(folder: string, onGone: () => void): Claim {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, CLAIM)
  const own = JSON.stringify({ pid: process.pid, started: startOf(process.pid) })
  for (;;) {
    const pid = ownerIn(file)
    if (pid !== undefined) return { kind: 'taken', pid }
    rmSync(file, { force: true })
    if (written(file, own)) return { kind: 'claimed', folder, stop: keep(file, onGone) }
  }
}

/** The folder, or the first beside it (`.leasehold-2`) that no other start has claimed. */
export function claimBeside(folder: string, onGone: () => void): Claim {
  const first = claimFolder(folder, onGone)
  let claim = first
  for (let at = 2; claim.kind === 'taken' && at <= MOST_BESIDE; at += 1)
    claim = claimFolder(`${folder}-${at}`, onGone)
  return claim.kind === 'claimed' ? claim : first
}

/** The living process that has claimed the folder; a file cut short by a crash names none. */
function ownerIn(file: string): number | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, 'utf8'))
    return startOf(pid) === started ? pid : undefined
  } catch {
    return undefined
  }
}

/** Pids are reused: a process is known by when it started as well. Elsewhere than on Linux by its pid. */
function startOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? ''
  } catch {
    process.kill(pid, 0)
    return ''
  }
}

function written(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Looks from time to time whether the folder is still there, and gives it back in the end. */
function keep(file: string, onGone: () => void): () => Promise<void> {
  const timer = setInterval(() => {
    if (existsSync(file)) return
    clearInterval(timer)
    onGone()
  }, LOOK_MS).unref()
  return async () => {
    clearInterval(timer)
    rmSync(file, { force: true })
  }
}
