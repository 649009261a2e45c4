/** Steps become conditional writes: one of them a plain write, several a transaction. */
import { hasLapsed } from '../object-state.ts'
import { plan } from '../plan.ts'
import type { Commit, Step, StoredObject } from '../ports.ts'
import type { Connection } from './connection.ts'
import { withImages } from './images.ts'
import { objectOf } from './object-items.ts'
import { actionsFor, type StepActions } from './step-actions.ts'
import { type Refusal, write, writeUnstamped } from './write.ts'

const stamping = new Set<Step['do']>(['createObject', 'replaceObject', 'deleteObject', 'putRecord'])
const ofObjects = new Set<Step['do']>([
  'createObject',
  'replaceObject',
  'deleteObject',
  'confirmObject',
])

export async function dynamoCommit(
  connection: Connection,
  steps: readonly Step[],
): Promise<Commit> {
  const planned = plan(steps)
  if (planned.length === 0) return { kind: 'committed', versions: [] }
  const draft = (trace: string) => {
    const outcome = planned.map((each) => actionsFor(connection, each, trace))
    return { actions: outcome.flatMap(({ actions }) => actions), outcome }
  }
  const stamped = steps.some((step) => stamping.has(step.do))
  const written = await (stamped ? write(connection, draft) : writeUnstamped(connection, draft('')))
  if (written.kind === 'written')
    return { kind: 'committed', versions: versionsOf(steps, written.outcome) }

  const { refusals, outcome } = written
  const found = steps.length === 1 && (await foundBy(connection, steps[0]!, refusals))
  return { kind: 'outrun', steps: wrongSteps(outcome, refusals), ...(found && { found }) }
}

function versionsOf(steps: readonly Step[], made: readonly StepActions[]): readonly number[] {
  const versions = steps.map(() => 0)
  for (const { index, version } of made) versions[index] = version
  return versions
}

/** A step may be several actions: it is wrong when one of them is. */
function wrongSteps(made: readonly StepActions[], refusals: readonly Refusal[]): number[] {
  let at = 0
  return made.flatMap(({ index, actions }) => {
    const its = refusals.slice(at, at + actions.length)
    at += actions.length
    return its.some(({ failed }) => failed) ? [index] : []
  })
}

async function foundBy(
  connection: Connection,
  step: Step,
  refusals: readonly Refusal[],
): Promise<StoredObject | undefined> {
  const item = refusals[0]?.item
  if (!item || !ofObjects.has(step.do)) return undefined
  const found = objectOf(item)
  if (hasLapsed(found, connection.nowMs())) return undefined
  return (await withImages(connection, [found]))[0]
}
