/**
 * What one step writes. Every clause of a condition is a belief. A second item of a step (images)
 * needs no condition of its own: that of the first guards both.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { nodeLeaseNamespace } from '../lease-state.ts'
import {
  type CreateStep,
  createdObject,
  type ObjectState,
  type ReplaceStep,
  replacedObject,
  tombstoneKeptMs,
  tombstoneOf,
} from '../object-state.ts'
import type { Planned } from '../plan.ts'
import type { Key, StoredObject, WriteStep } from '../ports.ts'
import { schemaNumber } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type Item, numberValue, stringValue } from './items.ts'
import { leaseKey } from './lease-items.ts'
import {
  imagesItem,
  imagesKey,
  objectItem,
  objectKey,
  recordItem,
  recordKey,
  tombstoneItem,
  tombstoneKey,
  type Writer,
} from './object-items.ts'

export interface StepActions {
  readonly index: number
  readonly actions: readonly TransactWriteItem[]
  /** 0 for a step that writes none. */
  readonly version: number
}

type ActionsAndVersion = Omit<StepActions, 'index'>

interface Attempt {
  readonly id: string
  /** An earlier attempt of the same commit may have been applied. */
  readonly mayBeApplied: boolean
}

export function actionsFor(
  connection: Connection,
  planned: Planned,
  attempt: Attempt,
): StepActions {
  const { step, index, times } = planned
  return { index, ...actionsOf(connection, step, times, attempt) }
}

function actionsOf(
  connection: Connection,
  step: WriteStep,
  times: number,
  attempt: Attempt,
): ActionsAndVersion {
  const { id: attemptId } = attempt
  switch (step.do) {
    case 'createObject':
      return creation(connection, step, attempt)
    case 'replaceObject':
      return replacement(connection, step, attemptId)
    case 'deleteObject':
      return deletion(connection, step.believed, attemptId)
    case 'confirmObject': {
      const { resource, key } = step.believed
      const Key = objectKey(resource, key)
      return unstamped({ ConditionCheck: { Key, ...asBelieved(connection, step.believed) } })
    }
    case 'confirmNoObject': {
      const Key = objectKey(step.resource, step.key)
      return unstamped({ ConditionCheck: { Key, ...absent(connection) } })
    }
    case 'putRecord': {
      const version = connection.stamp(step.believed ?? 0)
      const Item = recordItem({ ...step, version }, attemptId)
      return { actions: [{ Put: { Item, ...recordBelief(connection, step.believed) } }], version }
    }
    case 'dropRecord':
      return unstamped({ Delete: recordAt(connection, step) })
    case 'confirmRecord':
      return unstamped({ ConditionCheck: recordAt(connection, step) })
    default:
      return unstamped(leaseAction(connection.tables.leases, step, times))
  }
}

const unstamped = (action: TransactWriteItem): ActionsAndVersion => ({
  actions: [action],
  version: 0,
})

type LeaseStep = Extract<
  WriteStep,
  { readonly do: 'declareSilent' | 'confirmNoLease' | 'dropLease' | 'raiseInbox' | 'setOwnGrace' }
>

function leaseAction(table: string, step: LeaseStep, times: number): TransactWriteItem {
  const at = (key: Key) => ({ TableName: table, Key: leaseKey(key) })
  switch (step.do) {
    case 'declareSilent':
      return {
        Update: {
          ...at(step.lease.key),
          UpdateExpression: 'SET f = :f',
          ConditionExpression: 'v = :v',
          ExpressionAttributeValues: {
            ':f': numberValue(step.declaredAtMs),
            ':v': numberValue(step.lease.version),
          },
        },
      }
    case 'confirmNoLease':
      return { ConditionCheck: { ...at(step.key), ConditionExpression: 'attribute_not_exists(u)' } }
    case 'dropLease':
      return { Delete: at(step.key) }
    case 'raiseInbox':
      // Where there is no lease this leaves a tombstone, an item without uid, for its creation.
      return {
        Update: {
          ...at({ namespace: nodeLeaseNamespace, name: step.nodeName }),
          UpdateExpression: 'SET s = if_not_exists(s, :s) ADD i :times',
          ExpressionAttributeValues: {
            ':s': numberValue(schemaNumber),
            ':times': numberValue(times),
          },
        },
      }
    case 'setOwnGrace':
      return {
        Update: {
          ...at({ namespace: nodeLeaseNamespace, name: step.nodeName }),
          ConditionExpression: 'attribute_exists(u)',
          ...(step.ownGraceMs === undefined
            ? { UpdateExpression: 'REMOVE p' }
            : {
                UpdateExpression: 'SET p = :p',
                ExpressionAttributeValues: { ':p': numberValue(step.ownGraceMs) },
              }),
        },
      }
  }
}

function creation(
  connection: Connection,
  step: CreateStep,
  { id: attemptId, mayBeApplied }: Attempt,
): ActionsAndVersion {
  const state = createdObject(step, connection.stamp(0))
  const put = objectPut(connection, state, { attemptId }, absent(connection))
  if (!mayBeApplied) return put
  // If it was created and has been deleted since, it must not come back.
  const { resource, key, uid } = state.lean
  const Key = tombstoneKey(resource, key, uid)
  const ConditionCheck = { Key, ...absent(connection) }
  return { ...put, actions: [...put.actions, { ConditionCheck }] }
}

function replacement(
  connection: Connection,
  step: ReplaceStep,
  attemptId: string,
): ActionsAndVersion {
  const { believed } = step
  const state = replacedObject(step, connection.stamp(believed.version))
  const { actions, version } = objectPut(
    connection,
    state,
    { attemptId, before: believed.writtenBy },
    asBelieved(connection, believed),
  )
  const dropped = believed.imagesVersion !== undefined && state.lean.imagesVersion === undefined
  const beside = dropped ? [{ Delete: imagesAt(connection, believed) }] : []
  return { actions: [...actions, ...beside], version }
}

function objectPut(
  { tables }: Connection,
  state: ObjectState,
  writer: Writer,
  belief: Belief,
): ActionsAndVersion {
  const put: TransactWriteItem = { Put: { Item: objectItem(state, writer), ...belief } }
  const beside = state.images
    ? [{ Put: { TableName: tables.objects, Item: imagesItem(state) } }]
    : []
  return { actions: [put, ...beside], version: state.lean.version }
}

function deletion(
  connection: Connection,
  believed: StoredObject,
  attemptId: string,
): ActionsAndVersion {
  const { resource, key, imagesVersion } = believed
  const version = connection.stamp(believed.version)
  const tombstone = tombstoneItem(resource, tombstoneOf(believed, version), {
    attemptId,
    before: believed.writtenBy,
    expiresAtMs: connection.nowMs() + tombstoneKeptMs,
  })
  const actions: TransactWriteItem[] = [
    { Delete: { Key: objectKey(resource, key), ...asBelieved(connection, believed) } },
    // A uid is deleted once: a tombstone that exists is ours, of an attempt whose answer was lost.
    { Put: { Item: tombstone, ...absent(connection) } },
  ]
  if (imagesVersion !== undefined) actions.push({ Delete: imagesAt(connection, believed) })
  return { actions, version }
}

interface Belief {
  readonly TableName: string
  readonly ConditionExpression: string
  readonly ExpressionAttributeNames: Record<string, string>
  readonly ExpressionAttributeValues: Record<string, Item[string]>
  readonly ReturnValuesOnConditionCheckFailure: 'ALL_OLD'
}

/** TTL deletes items late, so an expired one counts as absent here too. */
const seconds = (nowMs: number) => numberValue(Math.floor(nowMs / 1_000))

const absent = ({ tables, nowMs }: Connection): Belief => ({
  TableName: tables.objects,
  ConditionExpression: 'attribute_not_exists(#partition) OR #ttl <= :now',
  ExpressionAttributeNames: { '#partition': 'partition', '#ttl': 'ttl' },
  ExpressionAttributeValues: { ':now': seconds(nowMs()) },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
})

function asBelieved(connection: Connection, { version, uid }: StoredObject): Belief {
  const belief = recordBelief(connection, version)
  return {
    ...belief,
    ConditionExpression: `${belief.ConditionExpression} AND #uid = :uid`,
    ExpressionAttributeNames: { ...belief.ExpressionAttributeNames, '#uid': 'uid' },
    ExpressionAttributeValues: { ...belief.ExpressionAttributeValues, ':uid': stringValue(uid) },
  }
}

function recordBelief(connection: Connection, version: number | undefined): Belief {
  if (version === undefined) return absent(connection)
  return {
    TableName: connection.tables.objects,
    ConditionExpression: '#version = :version AND (attribute_not_exists(#ttl) OR #ttl > :now)',
    ExpressionAttributeNames: { '#version': 'version', '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':version': numberValue(version),
      ':now': seconds(connection.nowMs()),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
}

const recordAt = (
  connection: Connection,
  { name, believed }: { readonly name: string; readonly believed?: number },
) => ({ Key: recordKey(name), ...recordBelief(connection, believed) })

const imagesAt = ({ tables }: Connection, { resource, key }: StoredObject) => ({
  TableName: tables.objects,
  Key: imagesKey(resource, key),
})
