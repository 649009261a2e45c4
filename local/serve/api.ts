/** The api of local mode: the same one as in Lambda, with keys from files. */
import type { ApiDeps, LogEntry } from '../../functions/api/deps.ts'
import { createSecuredEntry, type Entry } from '../../functions/api/entry.ts'
import type { RequestRates } from '../../shared/auth/rate-limit.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { DataFolder } from '../data-folder.ts'
import { fileSigner, readPublicKeys } from '../keys.ts'

interface LocalApi {
  readonly store: Store
  readonly data: DataFolder
  readonly log: (entry: LogEntry) => void
  readonly more?: Partial<ApiDeps>
  readonly rates?: RequestRates
}

export const localApi = ({ store, data, log, more, rates }: LocalApi): Entry =>
  createSecuredEntry(
    {
      store,
      publicKeys: () => readPublicKeys(data),
      nodeSigner: () => fileSigner(data, 'node'),
      log,
      ...(rates && { rates }),
      ...more,
    },
    async (deps) => (await import('../../functions/api/full-api.ts')).createFullApi(deps),
  )
