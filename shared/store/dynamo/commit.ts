/** Commits steps: one item as a plain conditional write, several as a transaction. */
import { writeTimeout } from '../../kube/status-error.ts'
import { hasExpired } from '../object-state.ts'
import { type Planned, plan } from '../plan.ts'
import type { Commit, StoredObject, WriteStep } from '../ports.ts'
import { commitProof } from './commit-proof.ts'
import type { Connection } from './connection.ts'
import { decodeObject } from './object-items.ts'
import { withImages } from './objects.ts'
import { actionsFor, type StepActions } from './step-actions.ts'
import { type ConditionFailed, type ConditionResult, write, writeByToken } from './write.ts'

const readingSteps = new Set<WriteStep['do']>([
  'confirmObject',
  'confirmNoObject',
  'confirmNoLease',
  'confirmRecord',
])
const objectSteps = new Set<WriteStep['do']>([
  'createObject',
  'replaceObject',
  'deleteObject',
  'confirmObject',
])

export async function dynamoCommit(
  connection: Connection,
  steps: readonly WriteStep[],
): Promise<Commit> {
  const planned = plan(steps)
  if (planned.length === 0) return { kind: 'committed', versions: [] }
  const draft = (attemptId: string, mayBeApplied = false) => {
    const attempt = { id: attemptId, mayBeApplied }
    const outcome = planned.map((each) => actionsFor(connection, each, attempt))
    return { actions: outcome.flatMap(({ actions }) => actions), outcome }
  }
  const written = await (steps.some(appliesOnce)
    ? write(connection, draft)
    : writeByToken(connection, draft))
  if (written.kind === 'written')
    return { kind: 'committed', versions: versionsOf(steps, written.outcome) }

  if (written.unclear.length > 0 && steps.some((step) => !readingSteps.has(step.do))) {
    const applied = await appliedAttempt(connection, planned, written)
    if (applied) return { kind: 'committed', versions: versionsOf(steps, applied) }
  }
  const { conditions, outcome } = written
  const found = steps.length === 1 && (await foundBy(connection, steps[0]!, conditions))
  return { kind: 'outrun', steps: wrongSteps(outcome, conditions), ...(found && { found }) }
}

/**
 * Once such a step is applied its belief is never true again, so neither is a repeat of the commit
 * applied. A record that must not exist yet, or a counter, has no such belief.
 */
function appliesOnce(step: WriteStep): boolean {
  if (step.do === 'putRecord') return step.believed !== undefined
  return step.do === 'createObject' || step.do === 'replaceObject' || step.do === 'deleteObject'
}

/** What the attempt that was applied made; undefined when none was. Throws when neither is proven. */
async function appliedAttempt(
  connection: Connection,
  planned: readonly Planned[],
  failed: ConditionFailed<readonly StepActions[]>,
): Promise<readonly StepActions[] | undefined> {
  const proof = await commitProof(connection, planned, failed).catch((cause: unknown) => {
    throw Object.assign(writeTimeout(), { cause })
  })
  if (proof === undefined) throw writeTimeout()
  return proof === 'notApplied' ? undefined : proof
}

function versionsOf(steps: readonly WriteStep[], made: readonly StepActions[]): readonly number[] {
  const versions = steps.map(() => 0)
  for (const { index, version } of made) versions[index] = version
  return versions
}

/** A step may be several actions: its belief was wrong when one of their conditions failed. */
function wrongSteps(
  made: readonly StepActions[],
  conditions: readonly ConditionResult[],
): number[] {
  let at = 0
  return made.flatMap(({ index, actions }) => {
    const its = conditions.slice(at, at + actions.length)
    at += actions.length
    return its.some(({ failed }) => failed) ? [index] : []
  })
}

async function foundBy(
  connection: Connection,
  step: WriteStep,
  conditions: readonly ConditionResult[],
): Promise<StoredObject | undefined> {
  const item = conditions[0]?.item
  if (!item || !objectSteps.has(step.do)) return undefined
  const found = decodeObject(item)
  if (hasExpired(found, connection.nowMs())) return undefined
  return (await withImages(connection, [found]))[0]
}
