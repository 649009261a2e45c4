/** The columns that most kinds share, and a short way to write the others. */
import { formatAge } from './age.ts'
import type { KubeObject } from './objects.ts'
import type { Column } from './resource.ts'
import { parseTimeMs } from './time.ts'

export function textColumn<T extends KubeObject>(
  name: string,
  description: string,
  cell: (object: T, nowMs: number) => string,
): Column<T> {
  return { name, type: 'string', format: '', description, priority: 0, cell }
}

export function integerColumn<T extends KubeObject>(
  name: string,
  description: string,
  cell: (object: T) => number,
): Column<T> {
  return { name, type: 'integer', format: '', description, priority: 0, cell }
}

export function booleanColumn<T extends KubeObject>(
  name: string,
  description: string,
  cell: (object: T) => boolean,
): Column<T> {
  return { name, type: 'boolean', format: '', description, priority: 0, cell }
}

/** Printed with `-o wide` only. */
export const wide = <T extends KubeObject>(column: Column<T>): Column<T> => ({
  ...column,
  priority: 1,
})

export const nameColumn: Column = {
  ...textColumn('Name', 'Name of the object, unique within its scope.', nameOf),
  format: 'name',
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? ''
}

export const ageColumn: Column = textColumn(
  'Age',
  'Time since the server created the object, by the clock of the server.',
  ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
)

export function ageOf(time: string | null | undefined, nowMs: number): string {
  return formatAge(time ? parseTimeMs(time) : undefined, nowMs)
}
