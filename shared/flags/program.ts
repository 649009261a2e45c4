/**
 * How do the programs of this project look from a terminal? All alike: `--help` and `--version` on
 * standard output, a mistake as one sentence on standard error. They end with 0 when done, 1 when
 * something failed and 2 when called wrongly.
 */
import {
  type FlagSet,
  type FlagValues,
  flagUsages,
  HELP_FLAG,
  type Operands,
  parseFlags,
  UsageError,
} from './flag-set.ts'
import { VERSION } from './version.ts'

export const EXIT_USAGE = 2

export interface Program {
  /** As it is typed: `npm run cost --`. */
  readonly call: string
  readonly summary: string
  /** Its own, besides --help and --version. */
  readonly flags?: FlagSet
  /** Arguments without a flag. Default none. */
  readonly operands?: Operands
  /** What `--help` prints after the flags. */
  readonly notes?: string
  /** Answers with the exit code. */
  run(values: FlagValues, operands: readonly string[]): Promise<number> | number
}

interface Terminal {
  print(text: string): void
  tell(text: string): void
  /** Whether an unexpected error is told with its stack. */
  readonly isVerbose: boolean
}

export const standardFlags: FlagSet = { help: HELP_FLAG, version: { usage: 'show the version' } }

/** For a program of its own process. */
export const terminalOf = (env: Readonly<Record<string, string | undefined>>): Terminal => ({
  print: (text) => console.log(text),
  tell: (text) => console.error(text),
  isVerbose: env.LEASEHOLD_VERBOSE === '1',
})

/** Answers with the exit code, also where the program throws. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    const { values, operands } = parseFlags(flagsOf(program), args, program.operands)
    const text = values.help ? helpOf(program) : values.version ? VERSION : undefined
    if (text === undefined) return await program.run(values, operands)
    terminal.print(text)
    return 0
  } catch (error) {
    return failure(program.call, error, terminal)
  }
}

const flagsOf = ({ flags }: Pick<Program, 'flags'>): FlagSet => ({ ...flags, ...standardFlags })

export function failure(call: string, error: unknown, { tell, isVerbose }: Terminal): number {
  if (error instanceof UsageError) {
    tell(`${error.message}; "${call} --help" says more`)
    return EXIT_USAGE
  }
  const { message, stack } = error as Error
  tell((isVerbose && stack) || message)
  return 1
}

export function helpOf(program: Omit<Program, 'run'>): string {
  const { call, summary, operands, notes } = program
  return [
    summary,
    [`Usage: ${call}`, operands?.shown, '[OPTIONS]'].filter(Boolean).join(' '),
    flagUsages(flagsOf(program)),
    ...(notes ? [notes] : []),
  ].join('\n\n')
}
