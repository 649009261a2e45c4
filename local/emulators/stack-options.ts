/** `-c name=value` of the commands for emulators, checked before anything starts. */
import { readDeploymentSettings } from '../../infra/settings.ts'
import { flag, repeatable, UsageError } from '../../shared/flags/flag-set.ts'
import { parseSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import { EMULATED_STAGE } from './deployment.ts'

export const contextFlag = {
  ...repeatable(flag('NAME=VALUE', 'an option of the stacks, as of "cdk deploy"; may be repeated')),
  short: 'c',
}

interface StackOptions {
  readonly context: readonly string[]
  /** How the monitor judges. */
  readonly settings: Settings
}

/** `refused` says of an option that an emulator cannot serve what to do instead. */
export function stackOptions(
  given: readonly string[],
  refused: Readonly<Record<string, string>>,
): StackOptions {
  const pairs = given.map((each) => {
    const at = each.indexOf('=')
    if (at < 1) throw new UsageError(`-c ${each}: write name=value`)
    if (refused[each]) throw new UsageError(`-c ${each} ${refused[each]}`)
    return [each.slice(0, at), each.slice(at + 1)] as const
  })
  const options = Object.fromEntries(pairs)
  if ('stage' in options) throw new UsageError(`-c stage: here it is always "${EMULATED_STAGE}"`)
  return { context: given, settings: settingsOf(options) }
}

function settingsOf(options: Readonly<Record<string, string>>): Settings {
  try {
    const { lifecycle } = readDeploymentSettings(options)
    const parsed = parseSettings((name) => lifecycle[name])
    if (parsed.kind === 'settings') return parsed.settings
    throw new Error(parsed.problems.join('\n'))
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
