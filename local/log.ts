/**
 * The log of local mode: one line per entry, for a person or as JSON, never a token, a stack only when
 * verbose.
 */
import type { LogEntry } from '../functions/api/deps.ts'

export interface LocalLog {
  say(text: string): void
  entry(entry: LogEntry): void
}

export function terminalLog(write: (line: string) => void, isVerbose: boolean): LocalLog {
  return {
    say: write,
    entry({ level, message, method, path, id, error, audit }) {
      if (level === 'info' && !isVerbose) return
      if (audit) return write(`audit: ${JSON.stringify(audit)}`)
      const where = method && path ? ` ${method} ${path}` : ''
      write(`${level}: ${message}${where}${id ? ` [${id}]` : ''}${reason(error, isVerbose)}`)
    },
  }
}

/** One JSON object per line, with the time, as log collectors want it. */
export function jsonLog(
  write: (line: string) => void,
  clock: () => number,
  isVerbose: boolean,
): LocalLog {
  const line = (fields: object) =>
    write(JSON.stringify({ time: new Date(clock()).toISOString(), ...fields }))
  return {
    say: (text) => line({ level: 'info', message: text.trim() }),
    entry({ error, ...entry }) {
      if (entry.level === 'info' && !isVerbose) return
      const why = reason(error, isVerbose).replace(/^(: |\n)/, '')
      line({ ...entry, ...(why && { error: why }) })
    },
  }
}

function reason(error: unknown, isVerbose: boolean): string {
  if (error === undefined) return ''
  if (!(error instanceof Error)) return `: ${String(error)}`
  return isVerbose ? `\n${error.stack}` : `: ${error.message}`
}
