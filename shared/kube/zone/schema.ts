/** A Zone: how a group of nodes fares, and how fast the monitor, its only writer, may evict. */

import { metadataField, typeFields } from '../meta/schema.ts'
import {
  any,
  boolean,
  int32,
  microTime,
  object,
  setOf,
  string,
  time,
  unnumbered,
} from '../schema.ts'

const GROUP = 'dev.leasehold.v1'

const specSchema = object(`${GROUP}.ZoneSpec`, 'The labels that make up the zone.', {
  region: unnumbered(string, 'Value of the label topology.kubernetes.io/region, if any.'),
  zone: unnumbered(string, 'Value of the label topology.kubernetes.io/zone, if any.'),
})

// Shares and rates are text: Kubernetes clients do not agree on how to read fractions.
const statusSchema = object(`${GROUP}.ZoneStatus`, 'What the monitor last saw and decided.', {
  state: unnumbered(string, 'Initial, Normal, PartialDisruption or FullDisruption.'),
  since: unnumbered(time, 'When the zone entered that state.'),
  nodes: unnumbered(int32, 'How many nodes count in the zone.'),
  notReady: unnumbered(int32, 'How many of them are not ready.'),
  unhealthyShare: unnumbered(string, 'notReady as a share of nodes, from 0 to 1.'),
  unhealthyThreshold: unnumbered(string, 'The share from which the zone counts as disrupted.'),
  evictionRate: unnumbered(string, 'How many nodes a second may be tainted NoExecute.'),
  nextTokenTime: unnumbered(microTime, 'When the next node may be tainted; absent while none may.'),
  evictionsPaused: unnumbered(boolean, 'Whether an operator has stopped evictions here.'),
  held: unnumbered(setOf(string), 'Why something is held back here, in words of one list.'),
  message: unnumbered(string, 'What is held back and why, in words.'),
  record: unnumbered(any, 'What the next monitor goes on from: state, bucket and pauses, exactly.'),
})

export const zoneSchema = object(
  `${GROUP}.Zone`,
  'A group of nodes that may fail together. The service derives it from node labels; people may ' +
    'only change its annotations, which are the switches.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: unnumbered(specSchema, 'The labels that make up the zone.'),
    status: unnumbered(statusSchema, 'What the monitor last saw and decided.'),
  },
)
