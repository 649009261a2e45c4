/** Finds the command that was typed and runs it, or says what is wrong with it. */
import { flagUsages, type Operands, parseFlags } from '../../shared/flags/flag-set.ts'
import { EXIT_USAGE, failure, standardFlags } from '../../shared/flags/program.ts'
import { VERSION } from '../../shared/flags/version.ts'
import { bootstrapCreate, bootstrapList, bootstrapRevoke } from './bootstrap-commands.ts'
import type { Command, CommandContext } from './command.ts'
import { credential, kubeconfigCommand } from './credential-commands.ts'
import { eventsReplay } from './event-commands.ts'
import { explainCommands } from './explain-command.ts'
import { installFlags } from './install-location.ts'
import { keysRotate } from './key-commands.ts'
import { programGrant, programList, programRenew, programRevoke } from './program-commands.ts'
import { restored } from './restored-command.ts'
import { tokenCreate, tokenRevoke } from './token-commands.ts'
import { verify } from './verify-command.ts'

const commands: readonly Command[] = [
  kubeconfigCommand,
  tokenCreate,
  tokenRevoke,
  bootstrapCreate,
  bootstrapList,
  bootstrapRevoke,
  programGrant,
  programList,
  programRevoke,
  programRenew,
  keysRotate,
  eventsReplay,
  restored,
  ...explainCommands,
  verify,
  credential,
]

/** Returns the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runProgram(
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const command = commands.find(({ words }) => words.every((word, at) => args[at] === word))
  if (!command) return unknownCommand(args, context)
  try {
    const flags = { ...command.flags, ...installFlags, ...standardFlags }
    const own = args.slice(command.words.length)
    const { values, operands } = parseFlags(flags, own, operandsOf(command))
    if (values.help) context.print(helpOf(command))
    else if (values.version) context.print(VERSION)
    else await command.run(values, context, operands)
    return 0
  } catch (error) {
    const call = `leasehold ${command.words.join(' ')}`
    return failure(call, error, { ...context, isVerbose: context.env.LEASEHOLD_VERBOSE === '1' })
  }
}

function operandsOf({ operands = 0, operandName = 'ID' }: Command): Operands {
  return { shown: operandName, least: operands, most: operands }
}

/** The beginning of a command, such as `token`, lists those that begin so. */
function unknownCommand(args: readonly string[], context: CommandContext): number {
  if (args[0] === '--version') {
    context.print(VERSION)
    return 0
  }
  const asked = args.filter((word) => !word.startsWith('-')).join(' ')
  const isHelp = args.length === 0 || args.includes('--help') || args.includes('-h')
  const known = commands.filter(({ words }) => words.join(' ').startsWith(asked))
  if (isHelp) {
    context.print(overview(known.length > 0 ? known : commands))
    return 0
  }
  context.tell(`${whatIsWrong(asked, args, known)}; "leasehold --help" says more`)
  return EXIT_USAGE
}

function whatIsWrong(asked: string, args: readonly string[], known: readonly Command[]): string {
  if (asked === '') return `Unknown option '${args[0]}'`
  if (known.length === 0) return `there is no command "${asked}"`
  return `say which: ${known.map(({ words }) => words.join(' ')).join(', ')}`
}

function overview(listed: readonly Command[]): string {
  const width = Math.max(...listed.map(({ words }) => words.join(' ').length)) + 3
  const lines = listed.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}${summary}`)
  return [
    'Usage: npx --no-install leasehold COMMAND [OPTIONS]',
    '',
    ...lines,
    '',
    'Each command explains itself with --help.',
  ].join('\n')
}

const helpOf = ({ words, summary, flags, notes, operands, operandName = 'ID' }: Command) =>
  [
    summary,
    `Usage: npx --no-install leasehold ${words.join(' ')}${operands ? ` ${operandName}` : ''} [OPTIONS]`,
    ...(flags ? [flagUsages(flags)] : []),
    `Which install:\n${flagUsages(installFlags)}`,
    ...(notes ? [notes] : []),
  ].join('\n\n')
