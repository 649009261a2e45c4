/** Objects as rows and cells, so that `kubectl get` prints them without knowing their kind. */

import { toPartialMetadata } from './meta/partial-metadata.ts'
import type { KubeObject } from './objects.ts'
import { type Column, groupVersion, type Resource, type RowCondition } from './resource.ts'

export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

interface Table {
  readonly kind: 'Table'
  readonly apiVersion: TableVersion
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly ColumnDefinition[] | null
  readonly rows: readonly TableRow[]
}

type TableVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1'
export type IncludeObject = 'None' | 'Metadata' | 'Object'
type ColumnDefinition = Omit<Column, 'cell'>

interface TableRow {
  readonly cells: readonly (string | number | boolean)[]
  readonly conditions?: readonly RowCondition[]
  readonly object: KubeObject | null
}

interface TableRequest<T extends KubeObject> {
  readonly resource: Resource<T>
  readonly objects: readonly T[]
  readonly nowMs: number
  /** Default `Metadata`. */
  readonly includeObject?: IncludeObject
  /** Default `meta.k8s.io/v1`. */
  readonly apiVersion?: TableVersion
  readonly metadata?: ListMeta
  /** Default true. In a watch only the first frame defines its columns. */
  readonly columnDefinitions?: boolean
}

export function toTable<T extends KubeObject>(request: TableRequest<T>): Table {
  const { resource, objects, apiVersion = 'meta.k8s.io/v1', columnDefinitions = true } = request
  return {
    kind: 'Table',
    apiVersion,
    metadata: request.metadata ?? {},
    columnDefinitions: columnDefinitions ? resource.columns.map(definitionOf) : null,
    // Wide cells too: kubectl hides them, or not.
    rows: objects.map((object) => toRow(object, { ...request, apiVersion })),
  }
}

const definitionOf = ({ cell: _, ...definition }: Column): ColumnDefinition => definition

function toRow<T extends KubeObject>(object: T, request: TableRequest<T>): TableRow {
  const { resource, nowMs } = request
  const conditions = resource.rowConditions?.(object) ?? []
  return {
    cells: resource.columns.map((column) => column.cell(object, nowMs)),
    ...(conditions.length > 0 && { conditions }),
    object: rowObject(object, request),
  }
}

function rowObject<T extends KubeObject>(object: T, request: TableRequest<T>): KubeObject | null {
  const { resource, includeObject = 'Metadata', apiVersion } = request
  if (includeObject === 'None') return null
  if (includeObject === 'Metadata') return toPartialMetadata(object, apiVersion)
  return { ...object, kind: resource.kind, apiVersion: groupVersion(resource) }
}
