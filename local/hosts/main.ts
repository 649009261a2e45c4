/** `npm run hosts -- stop zone-a`: stops, starts or shuts down simulated hosts of `npm start`. */
import { flag, stringFlag, UsageError } from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { DEFAULT_FOLDER } from '../data-folder.ts'
import { askControl, controlSocketIn, hostVerbs } from './control-socket.ts'

const hosts: Program = {
  call: 'npm run hosts --',
  summary: 'Stops, starts or shuts down simulated hosts of "npm start -- --nodes N".',
  operands: { shown: `${hostVerbs.join('|')} HOST|ZONE|all`, least: 1, most: 2 },
  flags: { data: flag('DIR', 'the data folder of that start', DEFAULT_FOLDER) },
  notes: `  stop    falls silent, as if its power or its network were cut
  start   comes back
  leave   says goodbye first, as a planned shutdown does
  list    shows every host and what it does; without a target, of all

A zone may be written as kubectl shows it: zone-a or local.zone-a.`,
  async run(values, [verb = '', target]) {
    if (!hostVerbs.some((word) => word === verb))
      throw new UsageError(`"${verb}": there is ${hostVerbs.join(', ')}`)
    if (target === undefined && verb !== 'list')
      throw new UsageError(`say which to ${verb}: a host, a zone, or all`)
    const socket = controlSocketIn(stringFlag(values.data) ?? DEFAULT_FOLDER)
    const answer = await askControl(socket, verb, target ?? 'all').catch(() => {
      throw new Error(
        'No running Leasehold with simulated hosts found here. Start one: npm start -- --nodes 20',
      )
    })
    terminal[answer.isDone ? 'print' : 'tell'](answer.text)
    return answer.isDone ? 0 : 1
  },
}

const terminal = terminalOf(process.env)
process.exitCode = await runProgram(hosts, process.argv.slice(2), terminal)
