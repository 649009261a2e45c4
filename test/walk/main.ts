/** `npm run walk`: which files do a renewal, a death and a watch execute? */
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'

const program: Program = {
  call: 'npm run walk --',
  summary: 'Prints the files that one renewal, one death and one watch execute, in order.',
  // Loaded on demand: it starts the system as it is loaded.
  run: async () => (await import('./journeys.ts')).code,
}

// The watches would go on for minutes.
process.exit(await runProgram(program, process.argv.slice(2), terminalOf(process.env)))
