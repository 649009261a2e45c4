/** `npm start`: runs the whole service on this machine and prints what to type next. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'
import { terminalLog } from './log.ts'
import { type LocalOptions, localFlags, readOptions } from './options.ts'
import type { System } from './system.ts'

const log = terminalLog(console.log, process.env.LEASEHOLD_VERBOSE === '1')
/** After this, or after a second signal, the process exits whatever still runs. */
const STOP_TIMEOUT_MS = 5_000

function printInstructions({ api, kubeconfig, page }: System, options: LocalOptions): void {
  const hosts = options.nodes > 0
  const lines = [
    '',
    `Leasehold is running at ${api}${hosts ? ` with ${options.nodes} simulated hosts` : ''}.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get nodes',
    '  kubectl get leases -n kube-node-lease',
    ...(hosts ? ['  npm run hosts -- stop zone-a     # make a zone fall silent'] : []),
    '',
    ...(page ? pageLines(page, options) : []),
    `${kept(options)} Stop with Ctrl-C.`,
    '',
  ]
  log.say(lines.join('\n'))
}

function pageLines(page: string, { dataFolder }: LocalOptions): readonly string[] {
  const where = dataFolder ? ` --data ${dataFolder}` : ''
  return [
    `  ${page}     # the page; it asks for a token:`,
    `  npx --no-install leasehold token create --user me --group system:masters${where}`,
    '',
  ]
}

const kept = ({ dataFolder }: LocalOptions) =>
  dataFolder
    ? `Everything is kept in ${dataFolder}.`
    : 'Nothing but keys survives a restart; --data DIR keeps everything.'

function nextSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    let isSecond = false
    process.on(signal, () => {
      if (isSecond) process.exit(1)
      isSecond = true
      resolve('stopping')
    })
  }
  return promise
}

async function run(options: LocalOptions): Promise<number> {
  const stopped = nextSignal()
  // Loaded on demand: `--help` needs no database.
  const { startSystem } = await import('./system.ts')
  const system = await startSystem(options, log)
  printInstructions(system, options)
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
