/**
 * Runs beside the engine in a network namespace of its own, where no other process can reach its
 * port, and hands through what comes to a unix socket that only this user may open. Arguments: the
 * socket, the port, the engine's program and its arguments. Prints `fenced`, then `ready <pid>`.
 */
import { spawn } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 10
const ACCEPTS_WITHIN_MS = 10_000

const [socketPath = '', port = '', binary = '', ...args] = process.argv.slice(2)
// The socket and the database file are this user's alone from their first moment on.
process.umask(0o077)
process.stdout.write('fenced\n')

const engine = spawn(binary, args, { stdio: ['ignore', 2, 2] })
engine.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
engine.on('exit', (code, signal) => {
  // Ends as the engine ended, so that its supervisor can tell how.
  if (signal) process.kill(process.pid, signal)
  process.exit(code ?? 1)
})
process.on('SIGTERM', () => engine.kill('SIGTERM'))
// The process that started this is gone: an engine without an owner must not go on writing.
process.stdin.on('end', () => {
  rmSync(dirname(socketPath), { recursive: true, force: true })
  engine.kill('SIGKILL')
})
process.stdin.resume()

const toEngine = () => connect({ host: '127.0.0.1', port: Number(port), noDelay: true })

function join(client: Socket): void {
  const upstream = toEngine()
  const part = () => {
    client.destroy()
    upstream.destroy()
  }
  client.on('error', part).on('close', part).pipe(upstream)
  upstream.on('error', part).on('close', part).pipe(client)
}

async function accepts(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = toEngine()
    .on('connect', () => resolve(true))
    .on('error', () => resolve(false))
  const is = await promise
  probe.destroy()
  return is
}

const untilMs = performance.now() + ACCEPTS_WITHIN_MS
while (!(await accepts())) {
  if (performance.now() > untilMs) process.exit(1)
  await sleep(POLL_MS)
}
createServer(join).listen(socketPath, () => {
  chmodSync(socketPath, 0o600)
  process.stdout.write(`ready ${engine.pid}\n`)
})
