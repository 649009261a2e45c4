/** Cells: a part of a zone in a word per node, for pages that show the whole fleet. */
import { object, string, unnumbered } from '../schema.ts'
import { metadataField, typeFields } from './meta.ts'

export const cellsSchema = object(
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
