/** The Fleet: what is true of all zones together. One object, written by the monitor alone. */

import { metadataField, typeFields } from '../meta/schema.ts'
import { any, boolean, int32, listOf, object, setOf, string, time, unnumbered } from '../schema.ts'

const GROUP = 'dev.leasehold.v1'

const conditionSchema = object(`${GROUP}.FleetCondition`, 'One thing that is or is not so.', {
  type: unnumbered(string, 'Blind, Disrupted, EvictionsPaused or Observing.'),
  status: unnumbered(string, 'True or False.'),
  reason: unnumbered(string, 'Why, in one word.'),
  message: unnumbered(string, 'Why, for people.'),
  lastTransitionTime: unnumbered(time, 'Since when.'),
})

const statusSchema = object(`${GROUP}.FleetStatus`, 'What the monitor last saw and decided.', {
  nodes: unnumbered(int32, 'How many nodes there are.'),
  ready: unnumbered(int32, 'How many are Ready.'),
  notReady: unnumbered(int32, 'How many say that they are not.'),
  unknown: unnumbered(int32, 'How many are silent or never reported.'),
  disruption: unnumbered(string, 'none, entering or entered: every zone is down at once.'),
  blind: unnumbered(boolean, 'The monitor doubts what it sees, and marks and evicts nothing.'),
  evictionsPaused: unnumbered(boolean, 'Whether an operator has stopped evictions everywhere.'),
  mode: unnumbered(string, 'act, or observe: decide and tell, and change nothing.'),
  held: unnumbered(setOf(string), 'Why something is held back everywhere.'),
  message: unnumbered(string, 'What is held back and why, in words.'),
  conditions: unnumbered(listOf(conditionSchema), 'The same as conditions, to be waited for.'),
  history: unnumbered(
    listOf(string),
    'The last hour, a line a minute: seconds since 1970, ready, notReady, unknown.',
  ),
  settings: unnumbered(any, 'What the monitor was told: periods, graces, rates, thresholds.'),
  record: unnumbered(any, 'What the next monitor goes on from, exactly.'),
})

export const fleetSchema = object(
  `${GROUP}.Fleet`,
  'All nodes together. People may only change its annotations, which are the switches.',
  {
    ...typeFields,
    metadata: metadataField,
    status: unnumbered(statusSchema, 'What the monitor last saw and decided.'),
  },
)
