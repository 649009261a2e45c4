/** `npm start`: runs the whole service on this machine and prints what to type next. */
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../shared/flags/flag-set.ts'
import { terminalLog } from './log.ts'
import { type LocalOptions, localHelp, parseOptions } from './options.ts'
import { type System, startSystem } from './system.ts'

const log = terminalLog(console.log, process.env.LEASEHOLD_VERBOSE === '1')
/** After this, or after a second signal, the process exits whatever still runs. */
const STOP_TIMEOUT_MS = 5_000

function readOptions(): LocalOptions | undefined {
  try {
    const options = parseOptions(process.argv.slice(2))
    if (options !== 'help') return options
    log.say(localHelp())
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(error.message)
    process.exitCode = 2
  }
  return undefined
}

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
    `  npx leasehold token create --user me --group system:masters${where}`,
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

async function run(options: LocalOptions): Promise<void> {
  const stopped = nextSignal()
  const system = await startSystem(options, log)
  printInstructions(system, options)
  const broke = system.broken.then((why) => {
    process.exitCode = 1
    return why
  })
  log.say(await Promise.race([stopped, broke]))
  const stuck = await Promise.race([system.stop(), sleep(STOP_TIMEOUT_MS, ['everything'])])
  if (stuck.length > 0) log.say(`did not stop in time: ${stuck.join(', ')}`)
  process.exit()
}

const options = readOptions()
if (options)
  await run(options).catch((error: Error) => {
    console.error(process.env.LEASEHOLD_VERBOSE === '1' ? error : error.message)
    process.exit(1)
  })
