/** `npm run ministack`: the deployed system on this machine, without an account and without Docker. */
import { join } from 'node:path'
import {
  flag,
  flagUsages,
  HELP_FLAG,
  parseFlags,
  stringFlag,
  stringFlags,
  wholeFlag,
} from '../../shared/flags/flag-set.ts'
import { MOST_NODES, MOST_ZONES } from '../options.ts'
import { keepRunning } from './command.ts'
import { printInstructions } from './instructions.ts'
import { MINISTACK_VERSION } from './ministack-server.ts'
import { type MiniStackOptions, startMiniStackSystem } from './ministack-system.ts'
import { contextFlag, stackOptions } from './stack-options.ts'

const flags = {
  port: flag('N', "MiniStack's port on loopback", '4566'),
  'api-port': flag('N', 'HTTPS port of the api on loopback; 0 takes a free one', '6443'),
  data: flag('DIR', 'where kubeconfig, outputs and logs are written', '.leasehold/ministack'),
  context: contextFlag,
  nodes: flag('N', 'simulated hosts that register, renew and report', '0'),
  zones: flag('N', 'zones they are spread over', '3'),
  help: HELP_FLAG,
}

const help = `Deploys both stacks into MiniStack ${MINISTACK_VERSION}, an emulator of AWS, and runs them
until Ctrl-C.

Usage: npm run ministack -- [OPTIONS]

${flagUsages(flags)}
`

/** Known to be missing in MiniStack, as measured with this version. */
const missing = [
  'IAM (every call is allowed), throttling, quotas, alarms and metrics',
  'removal of expired items, more than one shard of the stream, a restart: all is lost at the end',
  "Lambda's processor share: a function runs as fast as this machine",
]

function readOptions(argv: readonly string[]): MiniStackOptions | undefined {
  const { values } = parseFlags(flags, argv)
  if (values.help) return undefined
  const text = (name: 'port' | 'api-port' | 'data' | 'nodes' | 'zones') =>
    stringFlag(values[name]) ?? flags[name].default ?? ''
  return {
    port: wholeFlag('port', text('port'), 65_535),
    apiPort: wholeFlag('api-port', text('api-port'), 65_535),
    folder: text('data'),
    nodes: wholeFlag('nodes', text('nodes'), MOST_NODES),
    zones: Math.max(1, wholeFlag('zones', text('zones'), MOST_ZONES)),
    ...stackOptions(stringFlags(values.context), {
      'ingress=http-api': 'is what "npm run sam" serves: start it beside this one, without -c',
    }),
  }
}

await keepRunning(async (running) => {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    console.log(help)
    return { ended: Promise.resolve(undefined) }
  }
  const system = await startMiniStackSystem(running, options, (text) => console.log(text))
  const { folder } = options
  printInstructions({
    emulator: 'MiniStack',
    folder,
    ...system,
    missing,
    more: options.nodes > 0 ? [`npm run hosts -- stop zone-a --data ${folder}`] : [],
    end: `Logs are in ${join(folder, 'logs')}. Stop with Ctrl-C.`,
  })
  return system
})
