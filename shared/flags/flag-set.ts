/**
 * Command-line flags from one table, so that what is parsed and what `--help` prints cannot
 * disagree. Used by every program of the project.
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

/** How many arguments without a flag there may be, and how they are called in the help text. */
export interface Operands {
  readonly shown: string
  readonly least: number
  readonly most: number
}

const NO_OPERANDS: Operands = { shown: '', least: 0, most: 0 }

/** Operands are not counted when `--help` or `--version` is asked for. */
export function parseFlags(
  flags: FlagSet,
  args: readonly string[],
  { shown, least, most }: Operands = NO_OPERANDS,
): ParsedFlags {
  const { values, positionals } = parse(flags, args)
  if (values.help || values.version) return { values, operands: positionals }
  if (positionals.length < least) throw new UsageError(`${shown} is missing`)
  if (positionals.length > most) throw new UsageError(`what is "${positionals[most]}"?`)
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

/** `text` as a whole number; the flag is named in the error. */
export function wholeFlag(name: string, text: string, most: number, least = 0): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new UsageError(`--${name} ${text}: give a whole number from ${least} to ${most}`)
}

export const stringFlag = (value: FlagValues[string]) =>
  typeof value === 'string' ? value : undefined
export const stringFlags = (value: FlagValues[string]): readonly string[] =>
  Array.isArray(value) ? value : []

/** One line for each flag, and more where its usage has more. */
export function flagUsages(flags: FlagSet): string {
  const left = Object.entries(flags).map(
    ([name, { value, short }]) =>
      `  ${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
  )
  const width = Math.max(...left.map((text) => text.length)) + 3
  const lines = Object.values(flags).map(({ usage, default: byDefault }, at) => {
    const text = [usage, ...(byDefault ? [`(default ${byDefault})`] : [])].filter(Boolean).join(' ')
    return `${left[at]?.padEnd(width)}${text.replaceAll('\n', `\n${' '.repeat(width)}`)}`
  })
  return lines.join('\n')
}
