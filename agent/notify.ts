/**
 * Tells systemd that we are ready, alive and stopping. Its socket takes unix datagrams, which Node
 * cannot send, so the `systemd-notify` program does; it is on every systemd host. The unit has
 * NotifyAccess=all for that reason.
 */
import { spawn } from 'node:child_process'

export interface Notifier {
  ready(): void
  /** Called as often as one likes; passed on as often as systemd wants it. */
  alive(): void
  stopping(): void
}

export interface NotifyOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  steadyMs(): number
  send?(word: string): void
}

export function systemdNotifier({ env, steadyMs, send = sendWord }: NotifyOptions): Notifier {
  if (!env.NOTIFY_SOCKET) return { ready() {}, alive() {}, stopping() {} }
  const watchdogMs = Number(env.WATCHDOG_USEC ?? 0) / 1_000
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    ready: () => send('READY=1'),
    stopping: () => send('STOPPING=1'),
    alive() {
      // A process for each beat would cost more than the beat: a third of the limit is soon enough.
      if (!(watchdogMs > 0) || steadyMs() - lastMs < watchdogMs / 3) return
      lastMs = steadyMs()
      send('WATCHDOG=1')
    },
  }
}

function sendWord(word: string): void {
  try {
    const child = spawn('systemd-notify', [word], { stdio: 'ignore' })
    // Without the program the watchdog will bark: better than to pretend.
    child.on('error', () => {})
    child.unref()
  } catch {
    // No memory for a fork is thrown, not told. The next word is due long before the bark.
  }
}
