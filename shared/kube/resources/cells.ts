/** Cells: the whole fleet in a word per node, for pages that show all of it at once. */
import type { KubeObject } from '../objects.ts'
import type { Resource } from '../resource.ts'
import { cellsSchema } from '../schemas/cells.ts'
import { ageColumn, nameColumn, textColumn } from './columns.ts'
import { derived } from './derived.ts'

export interface Cells extends KubeObject {
  readonly zone?: string
  readonly nodes?: string
}

export const cells: Resource<Cells> = {
  ...derived<Cells>(),
  plural: 'cells',
  singular: 'cells',
  kind: 'Cells',
  // Nobody has a reason to write on these.
  verbs: ['get', 'list', 'watch'],
  schema: cellsSchema,
  columns: [
    nameColumn,
    textColumn<Cells>('Zone', 'The zone whose nodes these are.', ({ zone }) => zone ?? ''),
    {
      ...textColumn('Nodes', 'How many nodes are in this part.', () => ''),
      type: 'integer',
      cell: ({ nodes }: Cells) => (nodes ? nodes.split('\n').length : 0),
    },
    ageColumn,
  ],
}
