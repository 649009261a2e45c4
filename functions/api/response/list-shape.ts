/** How is a list encoded piece by piece, so that a long one is never in memory as a whole? */

import { toPartialMetadata } from '../../../shared/kube/meta/partial-metadata.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'
import { type ListMeta, toTable } from '../../../shared/kube/table.ts'
import type { ResourceRequest } from '../deps.ts'

export interface ListShape {
  /** Everything up to the first item. */
  open(metadata: ListMeta): string
  item(object: KubeObject): string
  readonly close: string
}

export function listShape(request: ResourceRequest): ListShape {
  const { format } = request
  const apiVersion = `meta.k8s.io/${format.version}` as const
  if (format.as === 'table') return tableShape(request, apiVersion)
  if (format.as === 'metadata') {
    const kind = 'PartialObjectMetadataList'
    return itemsShape({ kind, apiVersion }, (object) => toPartialMetadata(object, apiVersion))
  }
  const { resource } = request
  const names = { kind: `${resource.kind}List`, apiVersion: groupVersion(resource) }
  // The list has said what its items are.
  return itemsShape(names, ({ kind: _kind, apiVersion: _version, ...item }) => item)
}

function itemsShape(
  names: { readonly kind: string; readonly apiVersion: string },
  itemOf: (object: KubeObject) => object,
): ListShape {
  return {
    open: (metadata) => `${openEnded({ ...names, metadata })},"items":[`,
    item: (object) => JSON.stringify(itemOf(object)),
    close: ']}',
  }
}

function tableShape(
  { resource, nowMs, format }: ResourceRequest,
  apiVersion: 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1',
): ListShape {
  const table = (objects: readonly KubeObject[], metadata: ListMeta) =>
    toTable({ resource, objects, nowMs, apiVersion, metadata, includeObject: format.includeObject })
  return {
    open: (metadata) => {
      const { rows: _rows, ...head } = table([], metadata)
      return `${openEnded(head)},"rows":[`
    },
    item: (object) => JSON.stringify(table([object], {}).rows[0]),
    close: ']}',
  }
}

const openEnded = (value: object): string => JSON.stringify(value).slice(0, -1)
