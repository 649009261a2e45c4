/** Finds the command that was typed and runs it, or says what is wrong with it. */
import { flagUsages, HELP_FLAG, parseFlags, UsageError } from '../../shared/flags/flag-set.ts'
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
    const flags = { ...command.flags, ...installFlags, help: HELP_FLAG }
    const own = args.slice(command.words.length)
    const { values, operands } = parseFlags(flags, own, command.operands)
    if (values.help) context.print(helpOf(command))
    else await command.run(values, context, operands)
    return 0
  } catch (error) {
    return fail(command, error, context)
  }
}

function fail(command: Command, error: unknown, context: CommandContext): number {
  const name = `leasehold ${command.words.join(' ')}`
  if (error instanceof UsageError) {
    context.tell(`${error.message}\n(${name} --help says more)`)
    return 2
  }
  // The message of a file, DynamoDB or KMS error is for people; its stack is not.
  if (!(error instanceof Error)) throw error
  context.tell(`${name}: ${error.message}`)
  return 1
}

function unknownCommand(args: readonly string[], context: CommandContext): number {
  const asked = args.filter((word) => !word.startsWith('-')).join(' ')
  const helped = asked === '' || args.includes('--help')
  const known = commands.filter(({ words }) => words.join(' ').startsWith(asked))
  if (!helped && known.length === 0) context.tell(`there is no command "${asked}"`)
  const listed = known.length > 0 ? known : commands
  ;(helped ? context.print : context.tell)(overview(listed))
  return helped ? 0 : 2
}

function overview(listed: readonly Command[]): string {
  const width = Math.max(...listed.map(({ words }) => words.join(' ').length)) + 3
  const lines = listed.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}${summary}`)
  return [
    'Usage: npx leasehold COMMAND [OPTIONS]',
    '',
    ...lines,
    '',
    'Each command explains itself with --help.',
  ].join('\n')
}

const helpOf = ({ words, summary, flags, notes, operands }: Command) =>
  [
    `Usage: npx leasehold ${words.join(' ')}${operands ? ' ID' : ''} [OPTIONS]`,
    summary,
    ...(flags ? [flagUsages(flags)] : []),
    `Which install:\n${flagUsages(installFlags)}`,
    ...(notes ? [notes] : []),
  ].join('\n\n')
