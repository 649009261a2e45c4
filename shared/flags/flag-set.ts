/**
 * Command-line flags from one table, so that what is parsed and what `--help` prints cannot
 * disagree. Used by the agent, by local mode and by the `leasehold` command line.
 */
import { parseArgs } from 'node:util'

interface Flag {
  /** Stands for the value in the help text, such as FILE. A flag without one is a switch. */
  readonly value?: string
  readonly usage: string
  readonly default?: string
  readonly short?: string
  readonly isRepeatable?: true
}

/** A flag with a value. Its default is for the help text only. */
export const flag = (value: string, usage: string, byDefault?: string): Flag => ({
  value,
  usage,
  ...(byDefault !== undefined && { default: byDefault }),
})

/** A flag that may be given several times. */
export const repeatable = (one: Flag): Flag => ({ ...one, isRepeatable: true })

export type FlagSet = Readonly<Record<string, Flag>>

export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** A mistake on the command line: shown to the user as one sentence, without a stack. */
export class UsageError extends Error {}

export const HELP_FLAG: Flag = { short: 'h', usage: 'show this' }

interface ParsedFlags {
  readonly values: FlagValues
  readonly operands: readonly string[]
}

/** `operandCount` is the number of arguments without a flag, checked unless `--help` is given. */
export function parseFlags(flags: FlagSet, args: readonly string[], operandCount = 0): ParsedFlags {
  const { values, positionals } = parse(flags, args)
  if (!values.help && positionals.length !== operandCount) {
    const extra = positionals[operandCount]
    throw new UsageError(extra === undefined ? 'something is missing' : `what is "${extra}"?`)
  }
  return { values, operands: positionals }
}

function parse(flags: FlagSet, args: readonly string[]) {
  const options = Object.entries(flags).map(([name, { value, short, isRepeatable }]) => [
    name,
    {
      type: value ? 'string' : 'boolean',
      multiple: isRepeatable ?? false,
      ...(short && { short }),
    },
  ])
  try {
    const parsed = parseArgs({
      args: [...args],
      options: Object.fromEntries(options),
      allowPositionals: true,
    })
    return { values: parsed.values as FlagValues, positionals: parsed.positionals }
  } catch (error) {
    // Node's second sentence explains how to pass a positional argument that begins with a dash.
    const [first = ''] = (error as Error).message.split(/\.\s/)
    throw new UsageError(first)
  }
}

export const stringFlag = (value: FlagValues[string]) =>
  typeof value === 'string' ? value : undefined
export const stringFlags = (value: FlagValues[string]): readonly string[] =>
  Array.isArray(value) ? value : []

/** One line for each flag, and more where its usage has more. */
export function flagUsages(flags: FlagSet): string {
  const left = Object.entries(flags).map(
    ([name, { value }]) => `  --${name}${value ? ` ${value}` : ''}`,
  )
  const width = Math.max(...left.map((text) => text.length)) + 3
  const lines = Object.values(flags).map(({ usage, default: byDefault }, at) => {
    const text = byDefault ? `${usage} (default ${byDefault})` : usage
    return `${left[at]?.padEnd(width)}${text.replaceAll('\n', `\n${' '.repeat(width)}`)}`
  })
  return lines.join('\n')
}
