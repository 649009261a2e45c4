/** The lease writes that are no renewal: creation, replacement, removal. Each states what it believed. */
import type { TransactWriteItem, Update } from '@aws-sdk/client-dynamodb'
import type { Lease } from '../../kube/objects.ts'
import { tooManyRequests, writeTimeout } from '../../kube/status-error.ts'
import type { HolderRule } from '../../lifecycle/liveness/holder.ts'
import { leaseTaken } from '../announcement.ts'
import {
  createdLease,
  isLock,
  type LeaseChange,
  type LeaseState,
  type LeaseTombstone,
  leaseStateOf,
  replacedLease,
  storedLease,
  transitionsToKeep,
} from '../lease-state.ts'
import type { Key, Outcome, StoredLease } from '../ports.ts'
import type { Connection } from './connection.ts'
import { numberValue, stringValue, updateOf } from './items.ts'
import {
  clientAttributes,
  decodeLease,
  decodeLeaseTombstone,
  isLeaseTombstone,
  leaseItem,
  leaseKey,
  leaseTombstoneItem,
} from './lease-items.ts'
import { recordItem } from './object-items.ts'
import { findLease } from './reads.ts'
import { type Draft, type WriteResult, write, writeByToken } from './write.ts'

/** A tombstone changes when a pod of a host without a lease changes: seldom, never this often. */
const maxRounds = 5
const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

export async function createLease(
  connection: Connection,
  lease: Lease,
): Promise<Outcome<'created', StoredLease>> {
  let tombstone: LeaseTombstone = {}
  for (let round = 0; round < maxRounds; round += 1) {
    const draft = (id: string) => creation(connection, lease, tombstone, id)
    const written = await writeTraceably(connection, lease.metadata, draft)
    if (written.kind === 'written') return outcomeOf('created', written)
    const found = written.conditions[0]?.item
    const [first, ...more] = written.unclear
    // A uid is created once. Which attempt did it is known by its id, or if there was but one.
    const isOurs = first && more.length === 0 && found?.u?.S === lease.metadata.uid
    if (isOurs) return { kind: 'created', now: storedLease(first.state) }
    const isTaken = found && !isLeaseTombstone(found)
    // Taken directly after what was there before, or after nothing: then ours never was.
    if (first && !(isTaken && isLock(first.state.key) && found.q1?.S === tombstone.writtenBy))
      throw writeTimeout()
    if (isTaken) return outcomeOf('created', written)
    tombstone = found ? decodeLeaseTombstone(found) : {}
  }
  throw tooManyRequests('the lease is being changed too often, please try again', 1)
}

/** Answers `held` only for the current version: a caller that read an older one was outrun. */
export async function replaceLease(
  connection: Connection,
  lease: Lease,
  believed: StoredLease,
  rule?: HolderRule,
): Promise<Outcome<'replaced', StoredLease>> {
  const found = leaseStateOf(believed)
  const change = (version: number) =>
    replacedLease(found, lease, { nowMs: connection.nowMs(), version }, rule)
  if (change(0) === 'held') {
    const now = await findLease(connection, believed.key)
    if (now?.version === believed.version) return { kind: 'held', found: storedLease(now) }
    return { kind: 'outrun', ...(now && { found: storedLease(now) }) }
  }
  const written = await write(connection, (attemptId) => {
    const outcome = change(connection.stamp(found.version))
    // A lease that had expired a moment ago still has, unless our clock was moved back.
    if (outcome === 'held') throw tooManyRequests('our clock went back, please try again', 1)
    const Update = replacement(connection, outcome, believed, attemptId)
    return {
      actions: [{ Update }, ...leaseTakenPut(connection, outcome, found.spec, attemptId)],
      outcome: { ...outcome, state: withWriter(outcome.state, attemptId) },
    }
  })
  return judged('replaced', written, believed)
}

export async function removeLease(
  connection: Connection,
  believed: StoredLease,
): Promise<Outcome<'removed', StoredLease>> {
  const state = leaseStateOf(believed)
  const draft = (attemptId: string) => ({
    actions: [removal(connection, state, attemptId)],
    outcome: { claim: 'other' as const, state },
  })
  const written = await writeTraceably(connection, believed.key, draft)
  // A uid is deleted once: a lease that is still there was not deleted, whatever has changed in it.
  const isThere = written.kind !== 'written' && written.conditions[0]?.item?.u?.S === believed.uid
  return isThere ? outcomeOf('removed', written) : judged('removed', written, believed)
}

/**
 * A node lease leaves no tombstone. One that was created and deleted looks like one that never was,
 * so only DynamoDB's token can tell whether an attempt to create or delete it was applied.
 */
function writeTraceably(
  connection: Connection,
  key: Partial<Key>,
  draft: (attemptId: string) => Draft<LeaseChange>,
): Promise<WriteResult<LeaseChange>> {
  return isLock(key) ? write(connection, draft) : writeByToken(connection, draft)
}

/**
 * Throws when an attempt went unanswered and nothing proves what became of it. None of ours was
 * applied if the item that is there came directly after the one that we believed.
 */
function judged<Done extends string>(
  kind: Done,
  written: WriteResult<LeaseChange>,
  { writtenBy }: StoredLease,
): Outcome<Done, StoredLease> {
  if (written.kind === 'written' || written.unclear.length === 0) return outcomeOf(kind, written)
  const before = written.conditions[0]?.item?.q1?.S
  if (before === undefined || before !== writtenBy) throw writeTimeout()
  return outcomeOf(kind, written)
}

function creation(
  connection: Connection,
  lease: Lease,
  tombstone: LeaseTombstone,
  attemptId: string,
) {
  const stamp = { nowMs: connection.nowMs(), version: connection.stamp(0) }
  const { claim, state: made } = createdLease(lease, tombstone, stamp)
  const outcome = { claim, state: withWriter(made, attemptId) }
  const before = isLock(made.key) ? tombstone.writtenBy : undefined
  const Put = {
    TableName: connection.tables.leases,
    Item: { ...leaseItem(made, attemptId, before) },
    ...sameTombstone(tombstone),
    ...returned,
  }
  const holder = tombstone.leaseTransitions === undefined ? undefined : {}
  return { actions: [{ Put }, ...leaseTakenPut(connection, outcome, holder, attemptId)], outcome }
}

const withWriter = (state: LeaseState, attemptId: string): LeaseState =>
  isLock(state.key) ? { ...state, writtenBy: attemptId } : state

/** It must be the one that the new lease goes on from, if any. */
function sameTombstone({ leaseTransitions, inbox, writtenBy }: LeaseTombstone) {
  const values = {
    ...(writtenBy !== undefined && { ':q': stringValue(writtenBy) }),
    ...(leaseTransitions !== undefined && { ':n': numberValue(leaseTransitions) }),
    ...(inbox !== undefined && { ':i': numberValue(inbox) }),
  }
  const clauses = [
    'attribute_not_exists(u)',
    writtenBy === undefined ? 'attribute_not_exists(q)' : 'q = :q',
    leaseTransitions === undefined ? 'attribute_not_exists(n)' : 'n = :n',
    inbox === undefined ? 'attribute_not_exists(i)' : 'i = :i',
  ]
  return {
    ConditionExpression: clauses.join(' AND '),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

/**
 * An update, not a put: inbox, declaration and own grace change without a new version, and a put
 * would undo that.
 */
function replacement(
  { tables }: Connection,
  { state }: LeaseChange,
  believed: StoredLease,
  attemptId: string,
): Update {
  const { writtenBy } = believed
  const written = {
    v: numberValue(state.version),
    q: stringValue(attemptId),
    ...(writtenBy !== undefined && { q1: stringValue(writtenBy) }),
  }
  const update = updateOf({ ...written, ...clientAttributes(state) })
  return {
    TableName: tables.leases,
    Key: leaseKey(state.key),
    UpdateExpression: update.expression,
    ConditionExpression: believedSame,
    ExpressionAttributeValues: { ...update.values, ...beliefs(believed) },
    ...returned,
  }
}

const believedSame = 'v = :believed AND u = :uid'
const beliefs = ({ version, uid }: Pick<StoredLease, 'version' | 'uid'>) => ({
  ':believed': numberValue(version),
  ':uid': stringValue(uid),
})

function removal(
  { tables }: Connection,
  believed: LeaseState,
  attemptId: string,
): TransactWriteItem {
  const transitions = transitionsToKeep(believed)
  const same = {
    TableName: tables.leases,
    ConditionExpression: believedSame,
    ExpressionAttributeValues: beliefs(believed),
    ...returned,
  }
  if (transitions === undefined) return { Delete: { ...same, Key: leaseKey(believed.key) } }
  return { Put: { ...same, Item: { ...leaseTombstoneItem(believed, transitions, attemptId) } } }
}

/** Needs no condition: only the write that acquires the lease writes this record, in its transaction. */
function leaseTakenPut(
  { tables, nowMs }: Connection,
  change: LeaseChange,
  before: { readonly holderIdentity?: string } | undefined,
  attemptId: string,
): TransactWriteItem[] {
  const found = leaseTaken(change, before, nowMs())
  if (!found) return []
  const { version } = change.state
  return [
    {
      Put: { TableName: tables.objects, Item: { ...recordItem({ ...found, version }, attemptId) } },
    },
  ]
}

function outcomeOf<Done extends string>(
  kind: Done,
  written: WriteResult<LeaseChange>,
): Outcome<Done, StoredLease> {
  if (written.kind === 'written') {
    const state = written.attributes ? decodeLease(written.attributes) : written.outcome.state
    return { kind, now: storedLease(state) }
  }
  const item = written.conditions[0]?.item
  const found = item && !isLeaseTombstone(item) && { found: storedLease(decodeLease(item)) }
  return { kind: 'outrun', ...found }
}
