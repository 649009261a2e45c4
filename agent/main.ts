#!/usr/bin/env node
/** The program: reads its configuration, runs the host, ends on a signal. */
import { readFileSync } from 'node:fs'
import { check } from './check.ts'
import { systemClock } from './clock.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { startHost } from './host.ts'
import { stderrLog } from './log.ts'
import { systemdNotifier } from './notify.ts'
import { helpText } from './options.ts'
import { assemble } from './program.ts'
import { AGENT_VERSION } from './settings.ts'

/** Known to the unit file, which does not restart on either: a human has to do something first. */
const EXIT = { misconfigured: 64, nodeDeleted: 65, checkFailed: 1 }
const ALIVE_LOOK_MS = 5_000

// A log that cannot be written, on a full disk or with journald gone, must not end the beats.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

async function main(): Promise<number> {
  const readFile = (path: string) => readFileSync(path, 'utf8')
  const config = readConfig({ args: process.argv.slice(2), env: process.env, readFile })
  if (config.mode === 'help') return print(helpText())
  if (config.mode === 'version') return print(`${AGENT_VERSION}\n`)
  return config.mode === 'check' ? runCheck(config) : run(config)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function runCheck(config: Config): Promise<number> {
  const stop = new AbortController()
  const { isFine, text } = await check(await assemble(config, stderrLog, stop.signal))
  stop.abort()
  print(text)
  return isFine ? 0 : EXIT.checkFailed
}

async function run(config: Config): Promise<number> {
  const stop = new AbortController()
  const program = await assemble(config, stderrLog, stop.signal)
  const host = startHost(program.host)
  const notifier = systemdNotifier({ env: process.env, steadyMs: systemClock.steadyMs })
  // Ready means running, not reached: a service that is down must not keep hosts from booting.
  notifier.ready()
  const pulse = setInterval(() => host.isAlive() && notifier.alive(), ALIVE_LOOK_MS)

  const signalled = new Promise<'signalled'>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => resolve('signalled'))
  })
  const ending = await Promise.race([signalled, host.done])
  notifier.stopping()
  clearInterval(pulse)
  await (config.leavesOnTerm && ending === 'signalled' ? host.leave() : host.stop())
  stop.abort()
  return ending === 'nodeDeleted' ? EXIT.nodeDeleted : 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: Error) => {
    const isOurs = error instanceof ConfigError
    process.stderr.write(`leasehold-agent: ${isOurs ? error.message : error.stack}\n`)
    process.exitCode = isOurs ? EXIT.misconfigured : 1
  },
)
