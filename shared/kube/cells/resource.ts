/** Cells: the nodes of a part of a zone, a line each, for pages that show the whole fleet. */

import { ageColumn, integerColumn, nameColumn, textColumn } from '../columns.ts'
import { derived } from '../derived-resource.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import type { KubeObject } from '../objects.ts'
import type { Resource } from '../resource.ts'
import { object, string, unnumbered } from '../schema.ts'

export interface Cells extends KubeObject {
  readonly zone: string
  readonly nodes: string
}

const cellsSchema = object(
  'dev.leasehold.v1.Cells',
  'Some nodes of one zone, a line each. Written by the monitor when it changed.',
  {
    ...typeFields,
    metadata: metadataField,
    zone: unnumbered(string, 'The name of the Zone.'),
    nodes: unnumbered(
      string,
      'A line per node: name, letter of state (e, u, n, c, r), seconds of the last change in base 36.',
    ),
  },
)

export const cells: Resource<Cells> = {
  ...derived<Cells>(),
  plural: 'cells',
  singular: 'cells',
  kind: 'Cells',
  // Without `patch`: a Cells object has no switch that an operator could set.
  verbs: ['get', 'list', 'watch'],
  schema: cellsSchema,
  columns: [
    nameColumn,
    textColumn<Cells>('Zone', 'The zone whose nodes these are.', ({ zone }) => zone ?? ''),
    integerColumn<Cells>('Nodes', 'How many nodes are in this part.', ({ nodes }) =>
      nodes ? nodes.split('\n').length : 0,
    ),
    ageColumn,
  ],
}
