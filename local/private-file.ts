/** Writes a file that only this user can read (mode 0600), atomically. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'

export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
