/** The api of local mode: the same app as in Lambda, with keys from files. */

import type { ApiDeps, LogEntry } from '../functions/api/deps.ts'
import type { Front } from '../functions/api/front.ts'
import { securedApi } from '../functions/api/secured-api.ts'
import type { Store } from '../shared/store/ports.ts'
import type { DataFolder } from './data-folder.ts'
import { fileSigner, readPublicKeys } from './keys.ts'

export interface LocalApi {
  readonly store: Store
  readonly data: DataFolder
  readonly log: (entry: LogEntry) => void
  readonly more?: Partial<ApiDeps>
}

export const localApi = ({ store, data, log, more }: LocalApi): Front =>
  securedApi({
    store,
    publicKeys: () => readPublicKeys(data),
    nodeSigner: () => fileSigner(data, 'node'),
    log,
    more,
  })
