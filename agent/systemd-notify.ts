/**
 * Tells systemd that the agent is ready, alive or stopping. Its socket takes unix datagrams, which
 * Node cannot send, so the program `systemd-notify` does, which is on every systemd host. The unit
 * has NotifyAccess=all for that reason.
 */
import { spawn } from 'node:child_process'

interface SystemdNotifier {
  ready(): void
  /** May be called at any rate; sent as often as systemd's watchdog needs it. */
  alive(): void
  stopping(): void
}

interface NotifyOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  steadyMs(): number
  send?(message: string): void
}

export function systemdNotifier({
  env,
  steadyMs,
  send = sendMessage,
}: NotifyOptions): SystemdNotifier {
  if (!env.NOTIFY_SOCKET) return { ready() {}, alive() {}, stopping() {} }
  const watchdogMs = Number(env.WATCHDOG_USEC ?? 0) / 1_000
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    ready: () => send('READY=1'),
    stopping: () => send('STOPPING=1'),
    alive() {
      // Each message starts a process, so one per third of the watchdog's limit is enough.
      if (!(watchdogMs > 0) || steadyMs() - lastMs < watchdogMs / 3) return
      lastMs = steadyMs()
      send('WATCHDOG=1')
    },
  }
}

function sendMessage(message: string): void {
  try {
    const child = spawn('systemd-notify', [message], { stdio: 'ignore' })
    // Without the program the watchdog restarts the agent, which is how the operator learns of it.
    child.on('error', () => {})
    child.unref()
  } catch {
    // A failing fork throws. The next message is due long before the watchdog's limit.
  }
}
