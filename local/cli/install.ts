/**
 * An install as the commands see it: keys and tables, in a folder and an embedded engine or in AWS.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Store } from '../../shared/store/ports.ts'
import { dataFolder, readEndpoints } from '../data-folder.ts'
import { fileSigner } from '../keys.ts'
import { type Install, type Settings, UsageError } from './command.ts'

export interface StoreAddress {
  readonly tables: { readonly leases: string; readonly objects: string }
  /** Absent in AWS, where region and credentials come from the environment. */
  readonly endpoint?: string
}

export type OpenStore = (address: StoreAddress) => Promise<Store>

export function openInstall(settings: Settings, openStore: OpenStore): Install {
  return settings.kind === 'local'
    ? localInstall(settings.folder, openStore)
    : awsInstall(settings, openStore)
}

function localInstall(folder: string, openStore: OpenStore): Install {
  const data = dataFolder(folder)
  return {
    data,
    signer: (role) => fileSigner(data, role),
    store: () => {
      const { dynamodb: endpoint, tables } = readEndpoints(data)
      return openStore({ tables, endpoint })
    },
    server: () => readEndpoints(data).api,
    ca: () => (existsSync(data.caCert) ? readFileSync(data.caCert, 'utf8') : undefined),
  }
}

type AwsSettings = Extract<Settings, { readonly kind: 'aws' }>

function awsInstall(settings: AwsSettings, openStore: OpenStore): Install {
  return {
    signer: async (role) => {
      const key = role === 'node' ? settings.nodeKey : settings.adminKey
      const keyId = required(key, `--${role}-key ID, the KMS key that signs for ${role}s`)
      // Loaded only here: kubectl waits for `credential` at every command.
      const { openKmsSigner } = await import('./kms.ts')
      return await openKmsSigner({ role, keyId })
    },
    store: async () =>
      openStore({
        tables: {
          leases: required(settings.leasesTable, '--leases-table NAME'),
          objects: required(settings.objectsTable, '--objects-table NAME'),
        },
      }),
    server: () => required(settings.server, '--server URL, where the api answers'),
    ca: () => undefined,
  }
}

function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new UsageError(`say ${what}, or --outputs FILE`)
  return value
}
