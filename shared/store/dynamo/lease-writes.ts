/** The slow writes of a lease: creation, replacement, removal. Each states what it believed. */
import type { TransactWriteItem, Update } from '@aws-sdk/client-dynamodb'
import type { Lease } from '../../kube/objects.ts'
import { tooManyRequests } from '../../kube/status-error.ts'
import { leaseTaken } from '../announcement.ts'
import {
  createdLease,
  type LeaseChange,
  type LeaseGhost,
  markLeft,
  replacedLease,
  stateOf,
  storedLease,
} from '../lease-state.ts'
import type { Outcome, StoredLease } from '../ports.ts'
import type { Connection } from './connection.ts'
import { type Item, number, text } from './items.ts'
import {
  clientAttributes,
  ghostItem,
  ghostOf,
  isGhost,
  leaseItem,
  leaseKey,
  leaseOf,
} from './lease-items.ts'
import { findLease } from './lease-reads.ts'
import { recordItem } from './object-items.ts'
import { type Written, write } from './write.ts'

/**
 * A ghost changes when a letter arrives for a host that has no lease yet: seldom, and never this
 * often.
 */
const maxRounds = 5
const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

export async function createLease(
  connection: Connection,
  lease: Lease,
): Promise<Outcome<'created', StoredLease>> {
  let ghost: LeaseGhost = {}
  for (let round = 0; round < maxRounds; round += 1) {
    const written = await write(connection, (trace) => creation(connection, lease, ghost, trace))
    const met = written.kind === 'refused' ? written.refusals[0]?.item : undefined
    if (written.kind === 'written' || (met && !isGhost(met))) return settled('created', written)
    ghost = met ? ghostOf(met) : {}
  }
  throw tooManyRequests('the lease is being changed too often, please try again', 1)
}

/** `held` is said only of what is there now: who believed something older was outrun. */
export async function replaceLease(
  connection: Connection,
  lease: Lease,
  believed: StoredLease,
): Promise<Outcome<'replaced', StoredLease>> {
  const found = stateOf(believed)
  const change = (version: number) =>
    replacedLease(found, lease, { nowMs: connection.nowMs(), version })
  if (change(0) === 'held') {
    const now = await findLease(connection, believed.key)
    if (now?.version === believed.version) return { kind: 'held', found: storedLease(now) }
    return { kind: 'outrun', ...(now && { found: storedLease(now) }) }
  }
  const written = await write(connection, (trace) => {
    const outcome = change(connection.stamp(found.version))
    // Time only runs out: what could be taken a moment ago still can, unless the clock was moved.
    if (outcome === 'held') throw tooManyRequests('our clock went back, please try again', 1)
    const Update = replacement(connection, outcome, believed, trace)
    return { actions: [{ Update }, ...news(connection, outcome, found.spec, trace)], outcome }
  })
  return settled('replaced', written)
}

export async function removeLease(
  connection: Connection,
  believed: StoredLease,
): Promise<Outcome<'removed', StoredLease>> {
  const state = stateOf(believed)
  const written = await write(connection, (trace) => ({
    actions: [removal(connection, believed, markLeft(state), trace)],
    outcome: { claim: 'other' as const, state },
  }))
  // A node lease leaves no trace: gone after an unclear attempt is gone by it, or as good.
  if (written.kind === 'refused' && written.unclear && !written.refusals[0]?.item)
    return { kind: 'removed', now: believed }
  return settled('removed', written)
}

function creation(connection: Connection, lease: Lease, ghost: LeaseGhost, trace: string) {
  const at = { nowMs: connection.nowMs(), version: connection.stamp(0) }
  const outcome = createdLease(lease, ghost, at)
  const Put = {
    TableName: connection.tables.leases,
    Item: { ...leaseItem(outcome.state, trace) },
    ...sameGhost(ghost),
    ...returned,
  }
  const before = ghost.mark === undefined ? undefined : {}
  return { actions: [{ Put }, ...news(connection, outcome, before, trace)], outcome }
}

/** The count and the letters must be those this lease goes on from. */
function sameGhost({ mark, inbox }: LeaseGhost) {
  const values = {
    ...(mark !== undefined && { ':n': number(mark) }),
    ...(inbox !== undefined && { ':i': number(inbox) }),
  }
  const clauses = [
    'attribute_not_exists(u)',
    mark === undefined ? 'attribute_not_exists(n)' : 'n = :n',
    inbox === undefined ? 'attribute_not_exists(i)' : 'i = :i',
  ]
  return {
    ConditionExpression: clauses.join(' AND '),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

/**
 * An update, not a put: inbox and declaration belong to others and may have moved under the same
 * version.
 */
function replacement(
  { tables }: Connection,
  { state }: LeaseChange,
  believed: StoredLease,
  trace: string,
): Update {
  const values: Record<string, Item[string]> = {
    ...beliefs(believed),
    ':v': number(state.version),
    ':q': text(trace),
  }
  const sets = ['v = :v', 'q = :q']
  const removes: string[] = []
  for (const [name, value] of Object.entries(clientAttributes(state))) {
    if (value) {
      sets.push(`${name} = :${name}`)
      values[`:${name}`] = value
    } else removes.push(name)
  }
  const remove = removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''
  return {
    TableName: tables.leases,
    Key: leaseKey(state.key),
    UpdateExpression: `SET ${sets.join(', ')}${remove}`,
    ConditionExpression: believedSame,
    ExpressionAttributeValues: values,
    ...returned,
  }
}

const believedSame = 'v = :believed AND u = :uid'
const beliefs = ({ version, uid }: StoredLease) => ({
  ':believed': number(version),
  ':uid': text(uid),
})

function removal(
  { tables }: Connection,
  believed: StoredLease,
  mark: number | undefined,
  trace: string,
): TransactWriteItem {
  const same = {
    TableName: tables.leases,
    ConditionExpression: believedSame,
    ExpressionAttributeValues: beliefs(believed),
    ...returned,
  }
  if (mark === undefined) return { Delete: { ...same, Key: leaseKey(believed.key) } }
  return { Put: { ...same, Item: { ...ghostItem(believed.key, mark, trace) } } }
}

/** The lease's own condition guards the record: who takes a lease writes it, nobody else does. */
function news(
  { tables, nowMs }: Connection,
  change: LeaseChange,
  before: { readonly holderIdentity?: string } | undefined,
  trace: string,
): TransactWriteItem[] {
  const found = leaseTaken(change, before, nowMs())
  if (!found) return []
  const { version } = change.state
  return [
    { Put: { TableName: tables.objects, Item: { ...recordItem({ ...found, version }, trace) } } },
  ]
}

function settled<Done extends string>(
  kind: Done,
  written: Written<LeaseChange>,
): Outcome<Done, StoredLease> {
  if (written.kind === 'written') {
    const state = written.attributes ? leaseOf(written.attributes) : written.outcome.state
    return { kind, now: storedLease(state) }
  }
  const met = written.refusals[0]?.item
  return { kind: 'outrun', ...(met && !isGhost(met) && { found: storedLease(leaseOf(met)) }) }
}
