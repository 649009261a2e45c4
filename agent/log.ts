/** The agent's log: one line each, on standard error, where journald adds the time. */

export interface Log {
  info(text: string): void
  warn(text: string): void
}

/** journald reads the level from the prefix. */
export const stderrLog: Log = {
  info: (text) => void process.stderr.write(`<6>${oneLine(text)}\n`),
  warn: (text) => void process.stderr.write(`<4>${oneLine(text)}\n`),
}

export const silentLog: Log = { info() {}, warn() {} }

const MAX_LENGTH = 1_000
const oneLine = (text: string) => text.replaceAll(/[\r\n]+/g, ' ').slice(0, MAX_LENGTH)

/** Drops a line that repeats the one before it. */
export function onChange(log: Log): Log {
  let last = ''
  const once = (write: (text: string) => void) => (text: string) => {
    if (text === last) return
    last = text
    write(text)
  }
  return { info: once(log.info), warn: once(log.warn) }
}
