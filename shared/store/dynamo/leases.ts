/** The leases table behind the `Leases` port: renewals here, other writes in lease-writes.ts. */
import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb'
import { tooManyRequests, writeTimeout } from '../../kube/status-error.ts'
import {
  holdsRenewal,
  isLock,
  type LeaseState,
  metaOf,
  nodeLeaseNamespace,
  type RenewalCondition,
  refusedRenewal,
  renewalCondition,
  renewalSpec,
  renewedBefore,
  storedLease,
  type WriteStamp,
} from '../lease-state.ts'
import type { Leases, Renewal, Renewed } from '../ports.ts'
import { schemaNumber } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type Item, itemOf, numberValue, stringValue, updateOf } from './items.ts'
import {
  beatAttributes,
  decodeBeat,
  decodeLease,
  isLeaseTombstone,
  leaseKey,
  metaAttributes,
  specAttributes,
} from './lease-items.ts'
import { createLease, removeLease, replaceLease } from './lease-writes.ts'
import { decodeLeases, findLease, readLeases, scanPages } from './reads.ts'
import { attemptId, isConditionFailed, newRequestId, retryWrite } from './retry.ts'
import { attemptIn } from './write.ts'

export function dynamoLeases(connection: Connection): Leases {
  const { leases } = connection.tables

  return {
    async get(key) {
      const found = await findLease(connection, key)
      return found && storedLease(found)
    },

    async read(keys) {
      return (await readLeases(connection, keys)).map(storedLease)
    },

    renew: (renewal) => renewLease(connection, renewal),
    create: (lease) => createLease(connection, lease),
    replace: (lease, believed, rule) => replaceLease(connection, lease, believed, rule),
    remove: (believed) => removeLease(connection, believed),

    async *scan({ namespaces, consistent } = {}) {
      const input = {
        TableName: leases,
        ...(namespaces && inNamespaces(namespaces)),
        ...(consistent && { ConsistentRead: true }),
      }
      for await (const items of scanPages(connection, input))
        yield decodeLeases(connection, items, decodeLease).map(storedLease)
    },

    async *beats() {
      const input = {
        TableName: leases,
        ...inNamespaces([nodeLeaseNamespace]),
        ProjectionExpression: beatAttributes.join(', '),
      }
      for await (const items of scanPages(connection, input))
        yield decodeLeases(connection, items, decodeBeat)
    },
  }
}

function inNamespaces(namespaces: readonly string[]) {
  const values = namespaces.map((name, i) => [`:n${i}`, stringValue(`${name}/`)] as const)
  return {
    FilterExpression: values.map(([name]) => `begins_with(k, ${name})`).join(' OR '),
    ExpressionAttributeValues: Object.fromEntries(values),
  }
}

/**
 * A round is repeated when another write got in between, or when the stored version was stamped by a
 * clock ahead of ours.
 */
const maxRounds = 5

/** One conditional update: one write unit, no read. */
async function renewLease(connection: Connection, renewal: Renewal): Promise<Renewed> {
  const condition = renewalCondition(renewal)
  if (!condition) {
    const found = await findLease(connection, renewal.key)
    return (found && refusedRenewal(found, renewal)) ?? { kind: 'missing' }
  }
  let previousVersion = renewal.version ?? 0
  for (let round = 0; round < maxRounds; round += 1) {
    const outcome = await renewOnce(connection, renewal, condition, previousVersion)
    if ('kind' in outcome) return outcome
    // Only the version failed the condition: it is ahead of our clock. Stamp above it.
    previousVersion = outcome.version
  }
  throw tooManyRequests('the lease is being changed too often, please try again', 1)
}

/** A state, when the lease could be renewed with a version above its own. */
async function renewOnce(
  connection: Connection,
  renewal: Renewal,
  condition: RenewalCondition,
  previousVersion: number,
): Promise<Renewed | LeaseState> {
  const { retryPolicy, tables } = connection
  const requestId = newRequestId(retryPolicy)
  const attempts: RenewalAttempt[] = []
  const { updated, found } = await retryWrite(retryPolicy, (mayBeApplied) => {
    const last = attempts.at(-1)
    // Above the attempts before it: were one applied late, it would fail its own condition.
    const version = connection.stamp(last?.version ?? previousVersion)
    const id = attemptId(requestId, attempts.length)
    const below = mayBeApplied ? (last?.below ?? last?.version) : undefined
    const attempt = { nowMs: connection.nowMs(), version, attemptId: id, below }
    attempts.push(attempt)
    return update(connection, renewalInput(renewal, condition, tables.leases, attempt))
  })
  if (updated) return { kind: 'renewed', lease: storedLease(decodeLease(updated)) }
  const below = attempts.at(-1)?.below
  if (below !== undefined) {
    const applied = attempts[attemptIn(found, requestId) ?? -1]
    const outcome = found && outcomeAfterUnclear(renewal, found, below, applied)
    if (!outcome) throw writeTimeout()
    return outcome
  }
  if (!found || isLeaseTombstone(found)) return { kind: 'missing' }
  const state = decodeLease(found)
  return refusedRenewal(state, renewal) ?? state
}

/**
 * What became of a renewal of which an attempt went unanswered, and whose repeat failed its
 * condition? `applied` is our attempt that the item bears, `below` the version that it had to be
 * below for a renewal of any version. Undefined when nothing proves it.
 */
function outcomeAfterUnclear(
  renewal: Renewal,
  item: Item,
  below: number,
  applied: RenewalAttempt | undefined,
): Renewed | undefined {
  if (isLeaseTombstone(item)) return undefined
  const found = decodeLease(item)
  if (applied) {
    const isLatest = item.q?.S === applied.attemptId
    const state = isLatest ? found : renewedBefore(found, renewal, applied)
    return { kind: 'renewed', lease: storedLease(state) }
  }
  const { version } = renewal
  const isUntouched = version === undefined ? found.version < below : found.version === version
  if (isUntouched) return refusedRenewal(found, renewal)
  return holdsRenewal(found, renewal) ? { kind: 'renewed', lease: storedLease(found) } : undefined
}

/** `found` is the item that failed the condition; neither is set when there is no item. */
async function update(
  { calls }: Connection,
  input: UpdateItemCommandInput,
): Promise<{ readonly updated?: Item; readonly found?: Item }> {
  try {
    return { updated: (await calls.updateItem(input)).Attributes! }
  } catch (error) {
    if (!isConditionFailed(error)) throw error
    const { Item } = error as { readonly Item?: Item }
    return Item ? { found: Item } : {}
  }
}

interface RenewalAttempt extends WriteStamp {
  readonly attemptId: string
  /**
   * The version of the first attempt that may have been applied. A renewal of any version is repeated
   * only while the lease is below it, so that it is not applied twice.
   */
  readonly below?: number | undefined
}

export function renewalInput(
  renewal: Renewal,
  condition: RenewalCondition,
  table: string,
  attempt: RenewalAttempt,
): UpdateItemCommandInput {
  const update = updateOf(changedAttributes(renewal, attempt))
  const below = renewal.version === undefined ? attempt.below : undefined
  return {
    TableName: table,
    Key: leaseKey(renewal.key),
    UpdateExpression: isLock(renewal.key) ? keepingWriter(update.expression) : update.expression,
    ConditionExpression: conditionExpression(condition, below),
    ExpressionAttributeValues: {
      ...update.values,
      ':s': numberValue(schemaNumber),
      ...conditionValues(condition, below),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
}

const keepingWriter = (expression: string) =>
  expression.replace('SET ', 'SET q1 = if_not_exists(q, :q), ')

/** A PUT replaces spec and client metadata whole; a patch sets what it names. */
function changedAttributes(renewal: Renewal, { nowMs, version, attemptId }: RenewalAttempt) {
  const { object } = renewal
  const spec = specAttributes(renewalSpec(renewal))
  const written = { v: numberValue(version), b: numberValue(nowMs), q: stringValue(attemptId) }
  if (!object) return { ...written, ...itemOf(spec) }
  return { ...written, ...spec, ...metaAttributes(metaOf(object.metadata)) }
}

/** The condition of lease-state.ts in DynamoDB's words; `:r` is the new renewTime. */
function conditionExpression(condition: RenewalCondition, below?: number): string {
  const { holderIdentity, version, uid, ownerUid } = condition
  const anyVersion = below === undefined ? 'v < :v' : 'v < :below'
  return [
    version === undefined ? anyVersion : 'v = :seen',
    holderIdentity === undefined ? 'h > :empty' : 'h = :h',
    '(attribute_not_exists(r) OR r <> :r)',
    's = :s',
    'attribute_not_exists(x)',
    ...(uid === undefined ? [] : ['u = :u']),
    ...(ownerUid === undefined ? [] : ['o = :owner']),
  ].join(' AND ')
}

function conditionValues(
  condition: RenewalCondition,
  below?: number,
): Record<string, Item[string]> {
  const { holderIdentity: holder, version, uid, ownerUid } = condition
  return {
    ...(below !== undefined && { ':below': numberValue(below) }),
    ...(version !== undefined && { ':seen': numberValue(version) }),
    ...(holder === undefined ? { ':empty': stringValue('') } : { ':h': stringValue(holder) }),
    ...(uid !== undefined && { ':u': stringValue(uid) }),
    ...(ownerUid !== undefined && { ':owner': stringValue(ownerUid) }),
  }
}
