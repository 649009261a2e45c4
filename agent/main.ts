#!/usr/bin/env node
/** The `leasehold-agent` program: reads its configuration, runs the host, ends on a signal. */
import { readFileSync } from 'node:fs'
import { EXIT_USAGE } from '../shared/flags/program.ts'
import { VERSION } from '../shared/flags/version.ts'
import { systemClock } from './clock.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import { agentHelp } from './config/flags.ts'
import { startHost } from './host.ts'
import { stderrLog } from './log.ts'
import { CloudError } from './machine/aws-metadata.ts'
import { preflight } from './preflight.ts'
import { assembleAgent } from './program.ts'
import { systemdNotifier } from './systemd-notify.ts'

/** 2 and 65 are in the unit file, which does not restart on them: an operator must act first. */
const EXIT = { misconfigured: EXIT_USAGE, nodeDeleted: 65, checkFailed: 1 }
const WATCHDOG_CHECK_MS = 5_000

// A log that cannot be written (full disk, journald gone) must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

async function main(): Promise<number> {
  const readFile = (path: string) => readFileSync(path, 'utf8')
  const config = readConfig({ args: process.argv.slice(2), env: process.env, readFile })
  if (config.mode === 'help') return print(`${agentHelp()}\n`)
  if (config.mode === 'version') return print(`${VERSION}\n`)
  return config.mode === 'check' ? runPreflight(config) : run(config)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function runPreflight(config: Config): Promise<number> {
  const stop = new AbortController()
  const { isFine, text } = await preflight(
    await assembleAgent(config, stderrLog, stop.signal),
    config,
  )
  stop.abort()
  print(text)
  return isFine ? 0 : EXIT.checkFailed
}

async function run(config: Config): Promise<number> {
  const stop = new AbortController()
  const program = await assembleAgent(config, stderrLog, stop.signal)
  const host = startHost(program.host)
  const notifier = systemdNotifier({ env: process.env, steadyMs: systemClock.steadyMs })
  // Ready before the service is reached: a service that is down must not keep hosts from booting.
  notifier.ready()
  const watchdog = setInterval(() => host.isAlive() && notifier.alive(), WATCHDOG_CHECK_MS)

  const signalled = new Promise<'signalled'>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => resolve('signalled'))
  })
  const ending = await Promise.race([signalled, host.done])
  notifier.stopping()
  clearInterval(watchdog)
  await (config.leavesOnTerm && ending === 'signalled' ? host.leave() : host.stop())
  stop.abort()
  return ending === 'nodeDeleted' ? EXIT.nodeDeleted : 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: Error) => {
    const isConfig = error instanceof ConfigError
    const isTold = isConfig || error instanceof CloudError
    process.stderr.write(`leasehold-agent: ${isTold ? error.message : error.stack}\n`)
    process.exitCode = isConfig ? EXIT.misconfigured : 1
  },
)
