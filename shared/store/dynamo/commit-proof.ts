/**
 * Was a commit applied of which an attempt went unanswered, and whose repeat failed a condition? A
 * commit is applied whole or not at all, so what one of its items proves holds for all of them. Every
 * proof is about the past and stays true, so it does not matter that the items are read a little
 * later.
 */
import type { Planned } from '../plan.ts'
import type { WriteStep } from '../ports.ts'
import type { Connection } from './connection.ts'
import { type Item, jsonOf, numberOf, stringOf } from './items.ts'
import { objectKey, recordKey, tombstoneKey } from './object-items.ts'
import { readItems } from './reads.ts'
import type { StepActions } from './step-actions.ts'
import type { ConditionFailed } from './write.ts'

type Made = readonly StepActions[]

/** What the applied attempt made; `notApplied`; or undefined when the items prove neither. */
export async function commitProof(
  connection: Connection,
  planned: readonly Planned[],
  { unclear, byId }: Pick<ConditionFailed<Made>, 'unclear' | 'byId'>,
): Promise<Made | 'notApplied' | undefined> {
  const keys = planned.flatMap(({ step }) => keysOf(step))
  const items = await readItems(connection, connection.tables.objects, keys)
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  for (const { step, index } of planned) {
    const [item, tombstone] = keysOf(step).map((key) => byKey.get(keyOf(key)))
    const applied = byId(item) ?? byId(tombstone) ?? creation(step, index, unclear, item, tombstone)
    if (applied) return applied
    if (isUntouched(step, item, tombstone)) return 'notApplied'
  }
  return undefined
}

const keyOf = ({ partition, sort }: Item) => `${partition?.S} ${sort?.S}`

/** Of an object also its tombstone. None for steps that leave no trace in the objects table. */
function keysOf(step: WriteStep): readonly Item[] {
  switch (step.do) {
    case 'createObject': {
      const { name = '', namespace = '', uid = '' } = step.object.metadata
      const key = { namespace, name }
      return [objectKey(step.resource, key), tombstoneKey(step.resource, key, uid)]
    }
    case 'replaceObject':
    case 'deleteObject': {
      const { resource, key, uid } = step.believed
      return [objectKey(resource, key), tombstoneKey(resource, key, uid)]
    }
    case 'putRecord':
    case 'dropRecord':
      return [recordKey(step.name)]
    default:
      return []
  }
}

/** A uid is created once; the stored version of its creation tells which attempt that was. */
function creation(
  step: WriteStep,
  index: number,
  unclear: readonly Made[],
  item: Item | undefined,
  tombstone: Item | undefined,
): Made | undefined {
  if (step.do !== 'createObject') return undefined
  const isOurs = item && stringOf(item, 'uid') === step.object.metadata.uid
  const found = isOurs ? item : tombstone
  const version = found && numberOf(found, 'createdVersion')
  return unclear.find((made) => made.some((one) => one.index === index && one.version === version))
}

/**
 * Is it certain that this step was not applied, given that no item bears our id? `item` is what is
 * stored now, `tombstone` that of the object which the step was about.
 */
function isUntouched(
  step: WriteStep,
  item: Item | undefined,
  tombstone: Item | undefined,
): boolean {
  switch (step.do) {
    case 'createObject':
      // Had it been created, it would be there or have left a tombstone.
      return !tombstone && (!item || stringOf(item, 'uid') !== step.object.metadata.uid)
    case 'replaceObject': {
      const { uid, version } = step.believed
      const found = item && stringOf(item, 'uid') === uid ? item : tombstone
      if (!found) return false
      // Still what we believed, or another write replaced or deleted exactly that.
      return numberOf(found, 'version') === version || replacedVersion(found) === version
    }
    case 'deleteObject':
      // A uid is deleted once, and its tombstone is not ours.
      return true
    case 'putRecord':
    case 'dropRecord':
      return step.believed !== undefined && !!item && numberOf(item, 'version') === step.believed
    default:
      return false
  }
}

const replacedVersion = (item: Item) =>
  jsonOf<{ readonly version: number }>(item, 'before')?.version
