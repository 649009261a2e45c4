/** Writes what nobody else on this machine may read: mode 0600, whole or not at all. */
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
