/** The files of the data folder (`.leasehold`). Local mode writes it, the command line reads it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './private-file.ts'

export const DEFAULT_FOLDER = '.leasehold'

export interface DataFolder {
  readonly folder: string
  readonly kubeconfig: string
  readonly caCert: string
  readonly caKey: string
  /** One file per key role, mode 0600. */
  readonly nodeKeys: string
  readonly adminKeys: string
  /** Seals records of the embedded database, mode 0600. */
  readonly recordsKey: string
  /** The public halves of both: what the api verifies with. */
  readonly publicKeys: string
  /** Addresses of the system that runs, or ran last. */
  readonly endpoints: string
}

export function dataFolder(folder: string): DataFolder {
  const inside = (...path: string[]) => join(folder, ...path)
  return {
    folder,
    kubeconfig: inside('kubeconfig'),
    caCert: inside('ca.crt'),
    caKey: inside('ca.key'),
    nodeKeys: inside('keys', 'node.json'),
    adminKeys: inside('keys', 'admin.json'),
    recordsKey: inside('keys', 'records.key'),
    publicKeys: inside('keys', 'public.json'),
    endpoints: inside('endpoints.json'),
  }
}

interface Endpoints {
  /** `https://127.0.0.1:6443` */
  readonly api: string
  /** `http://127.0.0.1:8000` */
  readonly dynamodb: string
  /** A unix socket at which that answers. */
  readonly socketPath?: string
  /** Whether records that grant power are sealed: always with the embedded database. */
  readonly isSealed: boolean
  readonly tables: { readonly leases: string; readonly objects: string }
}

export function writeEndpoints({ endpoints }: DataFolder, value: Endpoints): void {
  writePrivate(endpoints, `${JSON.stringify(value, undefined, 2)}\n`)
}

export function readEndpoints({ endpoints, folder }: DataFolder): Endpoints {
  if (!existsSync(endpoints)) {
    throw new Error(
      `${folder} holds no ${endpoints}: run "npm start" first, or name another --data`,
    )
  }
  return JSON.parse(readFileSync(endpoints, 'utf8'))
}
