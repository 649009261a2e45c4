/** `npm run hosts -- stop zone-a`: stops, starts or shuts down simulated hosts of `npm start`. */
import { parseArgs } from 'node:util'
import { DEFAULT_FOLDER } from '../data-folder.ts'
import { askControl, controlSocketIn, hostVerbs } from './control-socket.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string', default: DEFAULT_FOLDER }, help: { type: 'boolean' } },
})
const [verb = '', target = 'all'] = positionals
const usage = `npm run hosts -- ${hostVerbs.join('|')} [HOST | ZONE | all] [--data DIR]

  stop    falls silent, as if its power or its network were cut
  start   comes back
  leave   says goodbye first, as a planned shutdown does
  list    shows every host and what it does
`

if (!hostVerbs.some((word) => word === verb)) {
  console.error(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  try {
    console.log(await askControl(controlSocketIn(values.data), verb, target))
  } catch {
    console.error(
      'No running Leasehold with simulated hosts found here. Start one: npm start -- --nodes 20',
    )
    process.exitCode = 1
  }
}
