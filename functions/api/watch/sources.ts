/**
 * The sources of this process: one for each resource, one for all leases, one for each lease
 * watched by name.
 */

import { keyText } from '../../../shared/store/object-state.ts'
import type { Key } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { indexedSource } from './indexed-source.ts'
import { leaseNameSource } from './lease-name-source.ts'
import { type LeaseTableSource, leaseTableSource } from './lease-table-source.ts'
import type { Source, SourceDeps } from './source.ts'

export interface Sources {
  of(request: Pick<ResourceRequest, 'resource' | 'key' | 'selection'>): Source
  readonly leases: LeaseTableSource
}

// More names than anybody watches at a time; those that nobody listens to any more cost only their
// memory.
const MAX_NAMES = 1_000

export function sources(deps: SourceDeps): Sources {
  const leases = leaseTableSource(deps)
  const byResource = new Map<string, Source>()
  const byName = new Map<string, Source>()

  const leaseNamed = (key: Key) => {
    const id = keyText(key)
    const source = byName.get(id) ?? leaseNameSource(deps, key)
    byName.delete(id)
    byName.set(id, source)
    const [oldest] = byName.keys()
    if (byName.size > MAX_NAMES && oldest !== undefined) byName.delete(oldest)
    return source
  }

  return {
    leases,
    of({ resource, key, selection }) {
      if (resource.plural === 'leases') {
        const name = selection.exact['metadata.name']
        const namespace = key.namespace || selection.exact['metadata.namespace']
        return name && namespace ? leaseNamed({ namespace, name }) : leases
      }
      const source = byResource.get(resource.plural) ?? indexedSource(deps, resource)
      byResource.set(resource.plural, source)
      return source
    },
  }
}
