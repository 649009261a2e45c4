/**
 * Which install is meant? Flags first, then the environment, then the stack's outputs, then the
 * default data folder.
 */
import { readFileSync } from 'node:fs'
import {
  type FlagSet,
  type FlagValues,
  flag,
  stringFlag,
  UsageError,
} from '../../shared/flags/flag-set.ts'
import { DEFAULT_FOLDER } from '../data-folder.ts'
import type { AwsLocation, CommandContext, InstallLocation } from './command.ts'

export const installFlags: FlagSet = {
  data: flag('DIR', 'a local one, in its data folder', DEFAULT_FOLDER),
  outputs: flag(
    'FILE',
    'one in AWS: what "cdk deploy --outputs-file FILE" wrote; or each by itself:',
  ),
  'node-key': flag('ID', 'KMS key (LEASEHOLD_NODE_KEY)'),
  'admin-key': flag('ID', 'KMS key (LEASEHOLD_ADMIN_KEY)'),
  'leases-table': flag('NAME', '(LEASEHOLD_LEASES_TABLE)'),
  'objects-table': flag('NAME', '(LEASEHOLD_OBJECTS_TABLE)'),
  server: flag('URL', 'where the api answers (LEASEHOLD_SERVER)'),
}

/** What each part of an AWS install is called as a flag, in the environment and as a stack output. */
const awsNames: Readonly<
  Record<keyof Omit<AwsLocation, 'kind'>, readonly [string, string, string]>
> = {
  nodeKey: ['node-key', 'LEASEHOLD_NODE_KEY', 'NodeKeyId'],
  adminKey: ['admin-key', 'LEASEHOLD_ADMIN_KEY', 'AdminKeyId'],
  leasesTable: ['leases-table', 'LEASEHOLD_LEASES_TABLE', 'LeasesTable'],
  objectsTable: ['objects-table', 'LEASEHOLD_OBJECTS_TABLE', 'ObjectsTable'],
  server: ['server', 'LEASEHOLD_SERVER', 'ApiUrl'],
}

export function locateInstall(values: FlagValues, env: CommandContext['env']): InstallLocation {
  const file = stringFlag(values.outputs) ?? env.LEASEHOLD_OUTPUTS
  const outputs = stackOutputs(file)
  if (file && Object.values(awsNames).every(([, , output]) => !outputs[output]))
    throw new UsageError(`${file} holds no outputs of a Leasehold stack (AdminKeyId, ApiUrl …)`)
  const named = Object.entries(awsNames).flatMap(([part, [flag, variable, output]]) => {
    const value = stringFlag(values[flag]) || env[variable] || outputs[output]
    return value ? [[part, value]] : []
  })
  const folder = stringFlag(values.data)
  // A folder named on the command line is meant, whatever the environment holds.
  const isLocal = folder !== undefined || named.length === 0
  if (isLocal) return { kind: 'local', folder: folder ?? DEFAULT_FOLDER }
  return { kind: 'aws', ...Object.fromEntries(named) }
}

type StackOutputs = Readonly<Partial<Record<string, string>>>

/** What "cdk deploy --outputs-file" wrote, by output name; empty when no file is named. */
export function stackOutputs(file: string | undefined): StackOutputs {
  if (!file) return {}
  const stacks = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>)
  return Object.assign({}, ...stacks)
}
