/** The log of local mode: one line per entry, never a token, a stack only when verbose. */
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

function reason(error: unknown, isVerbose: boolean): string {
  if (error === undefined) return ''
  if (!(error instanceof Error)) return `: ${String(error)}`
  return isVerbose ? `\n${error.stack}` : `: ${error.message}`
}
