/** Opens an install for a command: its keys and tables, in a data folder or in AWS. */
import { existsSync, readFileSync } from 'node:fs'
import { UsageError } from '../../shared/flags/flag-set.ts'
import type { OnUsage } from '../../shared/store/dynamo/calls.ts'
import type { Store } from '../../shared/store/ports.ts'
import { dataFolder, readEndpoints } from '../data-folder.ts'
import type { StoreAddress } from '../engine/store.ts'
import { fileSigner, readSealKey } from '../keys.ts'
import type { AwsLocation, Install, InstallLocation } from './command.ts'

export type OpenStore = (address: StoreAddress, onUsage?: OnUsage) => Promise<Store>

export function openInstall(location: InstallLocation, openStore: OpenStore): Install {
  return location.kind === 'local'
    ? localInstall(location.folder, openStore)
    : awsInstall(location, openStore)
}

function localInstall(folder: string, openStore: OpenStore): Install {
  const data = dataFolder(folder)
  return {
    data,
    signer: (role) => fileSigner(data, role),
    store: (onUsage) => {
      const { dynamodb: endpoint, socketPath, tables, isSealed } = readEndpoints(data)
      const sealKey = isSealed ? readSealKey(data) : undefined
      return openStore({ tables, endpoint, socketPath, sealKey }, onUsage)
    },
    server: () => readEndpoints(data).api,
    ca: () => (existsSync(data.caCert) ? readFileSync(data.caCert, 'utf8') : undefined),
  }
}

function awsInstall(location: AwsLocation, openStore: OpenStore): Install {
  return {
    signer: async (role) => {
      const key = role === 'node' ? location.nodeKey : location.adminKey
      const keyId = required(key, `--${role}-key ID, the KMS key that signs for ${role}s`)
      const { openKmsSigner } = await import('./kms.ts')
      return await openKmsSigner({ role, keyId })
    },
    store: async (onUsage) => {
      const leases = required(location.leasesTable, '--leases-table NAME')
      const objects = required(location.objectsTable, '--objects-table NAME')
      return openStore({ tables: { leases, objects } }, onUsage)
    },
    server: () => required(location.server, '--server URL, where the api answers'),
    ca: () => undefined,
  }
}

function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new UsageError(`say ${what}, or --outputs FILE`)
  return value
}
