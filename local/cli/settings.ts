/**
 * Which install is meant? Flags first, then the environment, then the stack's outputs, then the
 * folder here.
 */
import { readFileSync } from 'node:fs'
import { DEFAULT_FOLDER } from '../data-folder.ts'
import { type Settings, text, UsageError, type Values, type World } from './command.ts'

export const installOptions = {
  data: { type: 'string' },
  outputs: { type: 'string' },
  'node-key': { type: 'string' },
  'admin-key': { type: 'string' },
  'leases-table': { type: 'string' },
  'objects-table': { type: 'string' },
  server: { type: 'string' },
} as const

export const installHelp = `Which install:
  --data DIR            a local one, in its data folder (default ${DEFAULT_FOLDER})
  --outputs FILE        one in AWS: what "cdk deploy --outputs-file FILE" wrote; or each by itself:
  --node-key, --admin-key ID    KMS keys (LEASEHOLD_NODE_KEY, LEASEHOLD_ADMIN_KEY)
  --leases-table, --objects-table NAME    (LEASEHOLD_LEASES_TABLE, LEASEHOLD_OBJECTS_TABLE)
  --server URL          where the api answers (LEASEHOLD_SERVER)`

type AwsSettings = Extract<Settings, { readonly kind: 'aws' }>
type Named = Omit<AwsSettings, 'kind'>

export function readSettings(values: Values, env: World['env']): Settings {
  const flags = without({
    nodeKey: text(values['node-key']),
    adminKey: text(values['admin-key']),
    leasesTable: text(values['leases-table']),
    objectsTable: text(values['objects-table']),
    server: text(values.server),
  })
  const fromEnv = without({
    nodeKey: env.LEASEHOLD_NODE_KEY,
    adminKey: env.LEASEHOLD_ADMIN_KEY,
    leasesTable: env.LEASEHOLD_LEASES_TABLE,
    objectsTable: env.LEASEHOLD_OBJECTS_TABLE,
    server: env.LEASEHOLD_SERVER,
  })
  const file = text(values.outputs) ?? env.LEASEHOLD_OUTPUTS
  const folder = text(values.data)
  const named = { ...(file ? readOutputs(file) : {}), ...fromEnv, ...flags }
  // A folder named on the command line is meant, whatever the environment holds.
  const isLocal = folder !== undefined || Object.keys(named).length === 0
  return isLocal ? { kind: 'local', folder: folder ?? DEFAULT_FOLDER } : { kind: 'aws', ...named }
}

/** The stack's outputs, by stack name and then by output name. */
function readOutputs(file: string): Named {
  const stacks = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>)
  const outputs: Readonly<Record<string, string>> = Object.assign({}, ...stacks)
  const found = without({
    nodeKey: outputs.NodeKeyId,
    adminKey: outputs.AdminKeyId,
    leasesTable: outputs.LeasesTable,
    objectsTable: outputs.ObjectsTable,
    server: outputs.ApiUrl,
  })
  if (Object.keys(found).length === 0) {
    throw new UsageError(`${file} holds no outputs of a Leasehold stack (AdminKeyId, ApiUrl …)`)
  }
  return found
}

const without = (named: Readonly<Record<string, string | undefined>>): Named =>
  Object.fromEntries(Object.entries(named).filter(([, value]) => value))
