/** Which command is meant, and what is a person told who meant something else? */
import { parseArgs } from 'node:util'
import { bootstrapCreate, bootstrapList, bootstrapRevoke } from './bootstrap-commands.ts'
import { type Command, UsageError, type Values, type World } from './command.ts'
import { credential, kubeconfigCommand } from './credential-commands.ts'
import { eventsReplay } from './event-commands.ts'
import { keysRotate } from './key-commands.ts'
import { restored } from './restored-command.ts'
import { tokenCreate, tokenRevoke } from './token-commands.ts'

const commands: readonly Command[] = [
  kubeconfigCommand,
  tokenCreate,
  tokenRevoke,
  bootstrapCreate,
  bootstrapList,
  bootstrapRevoke,
  keysRotate,
  eventsReplay,
  restored,
  credential,
]

/** Answers the exit code: 0 done, 1 it failed, 2 it was called wrongly. */
export async function runProgram(args: readonly string[], world: World): Promise<number> {
  const command = commands.find(({ words }) => words.every((word, at) => args[at] === word))
  if (!command) return unknownCommand(args, world)
  try {
    const { values, positionals } = parse(command, args.slice(command.words.length))
    if (values.help) world.print(helpOf(command))
    else await command.run(values, world, positionals)
    return 0
  } catch (error) {
    return fail(command, error, world)
  }
}

function parse(command: Command, args: readonly string[]) {
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  const values = parsed.values as Values
  const wanted = command.operands ?? 0
  if (!values.help && parsed.positionals.length !== wanted) {
    const extra = parsed.positionals[wanted]
    throw new UsageError(extra === undefined ? 'something is missing' : `what is "${extra}"?`)
  }
  return { values, positionals: parsed.positionals }
}

function fail(command: Command, error: unknown, world: World): number {
  const name = `leasehold ${command.words.join(' ')}`
  const misused = (error as { code?: string }).code?.startsWith?.('ERR_PARSE_ARGS') === true
  if (misused || error instanceof UsageError) {
    world.tell(`${(error as Error).message}\n(${name} --help says more)`)
    return 2
  }
  // What files, DynamoDB or KMS say is for people; a stack is not.
  if (!(error instanceof Error)) throw error
  world.tell(`${name}: ${error.message}`)
  return 1
}

function unknownCommand(args: readonly string[], world: World): number {
  const asked = args.filter((word) => !word.startsWith('-')).join(' ')
  const helped = asked === '' || args.includes('--help')
  const known = commands.filter(({ words }) => words.join(' ').startsWith(asked))
  if (!helped && known.length === 0) world.tell(`there is no command "${asked}"`)
  const listed = known.length > 0 ? known : commands
  ;(helped ? world.print : world.tell)(overview(listed))
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

const helpOf = ({ words, summary, help, operands }: Command) =>
  [`Usage: npx leasehold ${words.join(' ')}${operands ? ' ID' : ''} [OPTIONS]`, summary, help].join(
    '\n\n',
  )
