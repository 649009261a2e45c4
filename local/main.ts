/** `npm start`: runs the whole service on this machine and prints what to type next. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'
import { DEFAULT_FOLDER } from './data-folder.ts'
import { jsonLog, type LocalLog, terminalLog } from './log.ts'
import { type LocalOptions, localFlags, readOptions } from './options.ts'
import type { System } from './system.ts'

/** After this, or after a second signal, the process exits whatever still runs. */
const STOP_TIMEOUT_MS = 5_000
const isVerbose = process.env.LEASEHOLD_VERBOSE === '1'

const logIn = (format: LocalOptions['loggingFormat']): LocalLog =>
  format === 'json'
    ? jsonLog(console.log, Date.now, isVerbose)
    : terminalLog(console.log, isVerbose)

function instructions(system: System, options: LocalOptions): string {
  const { server, kubeconfig, page, folder } = system
  const hosts = options.nodes > 0
  const where = folder === DEFAULT_FOLDER ? '' : ` --data ${folder}`
  const lines = [
    '',
    `Leasehold is running at ${server}${hosts ? ` with ${options.nodes} simulated hosts` : ''}.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get nodes',
    '  kubectl get leases -n kube-node-lease',
    ...(hosts ? [`  npm run hosts -- stop zone-a${where}     # make a zone fall silent`] : []),
    '',
    `  ${page}     # the page; it asks for a token:`,
    `  npx --no-install leasehold token create --user me --group system:masters${where}`,
    '',
    ...(options.isPublic ? joinLines(system, options, where) : []),
    `${kept(options)} Stop with Ctrl-C.`,
    '',
  ]
  return lines.join('\n')
}

/** What is typed here, and on a host. */
function joinLines({ server, folder }: System, { tlsFiles }: LocalOptions, where: string) {
  const ca = tlsFiles ? '' : ' --ca-file ca.crt'
  return [
    `A host joins with a token of its own${tlsFiles ? '' : ` and a copy of ${join(folder, 'ca.crt')}`}:`,
    '',
    `  npx --no-install leasehold token bootstrap create${where}     # prints TOKEN`,
    `  leasehold-agent --server ${server}${ca} --bootstrap-token TOKEN`,
    '',
  ]
}

const kept = ({ dataFolder }: LocalOptions) =>
  dataFolder
    ? `Everything is kept in ${dataFolder}.`
    : 'Nothing but keys survives a restart; --data DIR keeps everything.'

/** Ctrl-C reaches npm as well, which passes it on: that one is the same wish. */
const SAME_SIGNAL_MS = 1_000

function nextSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    let firstAtMs: number | undefined
    process.on(signal, () => {
      firstAtMs ??= performance.now()
      if (performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(1)
      resolve('stopping')
    })
  }
  return promise
}

const LOOK_FOR_PARENT_MS = 1_000

/**
 * Nothing reads any more what this prints (`npm start | head`), or npm was killed, which passes on no
 * signal then. A server that no terminal belongs to would be left behind.
 */
function abandoned(env: NodeJS.ProcessEnv): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => resolve('stopping: nothing reads what this prints'))
  const parent = process.ppid
  if (env.npm_lifecycle_event === 'start')
    setInterval(() => {
      if (process.ppid !== parent) resolve('stopping: npm is gone')
    }, LOOK_FOR_PARENT_MS).unref()
  return promise
}

async function run(options: LocalOptions): Promise<number> {
  const log = logIn(options.loggingFormat)
  const stopped = Promise.race([nextSignal(), abandoned(process.env)])
  // Loaded on demand: `--help` needs no database.
  const { startSystem } = await import('./system.ts')
  const system = await startSystem(options, log)
  log.say(instructions(system, options))
  const stopping = stopped.then((why) => ({ why, code: 0 }))
  const broken = system.broken.then((why) => ({ why, code: 1 }))
  const { why, code } = await Promise.race([stopping, broken])
  log.say(why)
  const stuck = await Promise.race([system.stop(), sleep(STOP_TIMEOUT_MS, ['everything'])])
  if (stuck.length > 0) log.say(`did not stop in time: ${stuck.join(', ')}`)
  return code
}

const program: Program = {
  call: 'npm start --',
  summary:
    'Leasehold on this machine: embedded DynamoDB, api, monitor, notifier and dashboard in one process.',
  flags: localFlags,
  notes:
    "Those from --node-monitor-period on are kube-controller-manager's: docs/operations.md explains each.",
  run: (values) => run(readOptions(values)),
}

const code = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
process.exit(code)
