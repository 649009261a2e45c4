/**
 * What one step writes. Every clause of a condition is a belief; what guards a second item is the
 * first one's.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { nodeLeaseNamespace } from '../lease-state.ts'
import {
  createdObject,
  type ObjectState,
  type ReplaceStep,
  replacedObject,
  tombstoneKeptMs,
  tombstoneOf,
} from '../object-state.ts'
import type { Planned } from '../plan.ts'
import type { Key, Step, StoredObject } from '../ports.ts'
import { schemaNumber } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type Item, number, text } from './items.ts'
import { leaseKey } from './lease-items.ts'
import {
  imagesItem,
  imagesKey,
  objectItem,
  objectKey,
  recordItem,
  recordKey,
  tombstoneItem,
} from './object-items.ts'

export interface StepActions {
  readonly index: number
  readonly actions: readonly TransactWriteItem[]
  /** 0 for a step that writes none. */
  readonly version: number
}

type Made = Omit<StepActions, 'index'>

export function actionsFor(connection: Connection, planned: Planned, trace: string): StepActions {
  const { step, index, times } = planned
  return { index, ...made(connection, step, times, trace) }
}

function made(connection: Connection, step: Step, times: number, trace: string): Made {
  switch (step.do) {
    case 'createObject': {
      const state = createdObject(step, connection.stamp(0))
      return objectPut(connection, state, trace, absent(connection))
    }
    case 'replaceObject':
      return replacement(connection, step, trace)
    case 'deleteObject':
      return deletion(connection, step.believed, trace)
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
      const Item = recordItem({ ...step, version }, trace)
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

const unstamped = (action: TransactWriteItem): Made => ({ actions: [action], version: 0 })

type LeaseStep = Extract<
  Step,
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
            ':f': number(step.declaredAtMs),
            ':v': number(step.lease.version),
          },
        },
      }
    case 'confirmNoLease':
      return { ConditionCheck: { ...at(step.key), ConditionExpression: 'attribute_not_exists(u)' } }
    case 'dropLease':
      return { Delete: at(step.key) }
    case 'raiseInbox':
      // Where there is no lease this leaves a ghost without uid, which only the lease's creation
      // will see.
      return {
        Update: {
          ...at({ namespace: nodeLeaseNamespace, name: step.nodeName }),
          UpdateExpression: 'SET s = if_not_exists(s, :s) ADD i :times',
          ExpressionAttributeValues: { ':s': number(schemaNumber), ':times': number(times) },
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
                ExpressionAttributeValues: { ':p': number(step.ownGraceMs) },
              }),
        },
      }
  }
}

function replacement(connection: Connection, step: ReplaceStep, trace: string): Made {
  const { believed } = step
  const state = replacedObject(step, connection.stamp(believed.version))
  const { actions, version } = objectPut(connection, state, trace, asBelieved(connection, believed))
  const dropped = believed.imagesVersion !== undefined && state.lean.imagesVersion === undefined
  const beside = dropped ? [{ Delete: imagesAt(connection, believed) }] : []
  return { actions: [...actions, ...beside], version }
}

function objectPut(
  { tables }: Connection,
  state: ObjectState,
  trace: string,
  belief: Belief,
): Made {
  const put: TransactWriteItem = { Put: { Item: objectItem(state, trace), ...belief } }
  const beside = state.images
    ? [{ Put: { TableName: tables.objects, Item: imagesItem(state) } }]
    : []
  return { actions: [put, ...beside], version: state.lean.version }
}

function deletion(connection: Connection, believed: StoredObject, trace: string): Made {
  const { resource, key, imagesVersion } = believed
  const version = connection.stamp(believed.version)
  const tombstone = tombstoneItem(resource, tombstoneOf(believed, version), {
    request: trace,
    expiresAtMs: connection.nowMs() + tombstoneKeptMs,
  })
  const actions: TransactWriteItem[] = [
    { Delete: { Key: objectKey(resource, key), ...asBelieved(connection, believed) } },
    // A uid dies once: a tombstone that is there already is ours, from an attempt that seemed to
    // fail.
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

/** TTL removes late, so what has lapsed counts as gone here too. */
const seconds = (nowMs: number) => number(Math.floor(nowMs / 1_000))

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
    ExpressionAttributeValues: { ...belief.ExpressionAttributeValues, ':uid': text(uid) },
  }
}

function recordBelief(connection: Connection, version: number | undefined): Belief {
  if (version === undefined) return absent(connection)
  return {
    TableName: connection.tables.objects,
    ConditionExpression: '#version = :version AND (attribute_not_exists(#ttl) OR #ttl > :now)',
    ExpressionAttributeNames: { '#version': 'version', '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':version': number(version), ':now': seconds(connection.nowMs()) },
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
