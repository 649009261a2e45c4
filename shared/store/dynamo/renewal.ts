/** The hot path: one conditional update, one write unit, no read. */
import type { UpdateItemCommandInput, UpdateItemCommandOutput } from '@aws-sdk/client-dynamodb'
import { tooManyRequests } from '../../kube/status-error.ts'
import { metaOf, refusedRenewal, renewalSpec, storedLease } from '../lease-state.ts'
import type { Renewal, Renewed } from '../ports.ts'
import { schemaNumber } from '../tables.ts'
import { type Connection, isConditionFailed, requestId } from './connection.ts'
import { type Item, number, text } from './items.ts'
import { isGhost, leaseKey, leaseOf, metaAttributes, specAttributes } from './lease-items.ts'
import { persist } from './persistence.ts'

/**
 * Each round is another writer's success in between, or a clock of another process that is ahead of
 * ours.
 */
const maxRounds = 5

export async function renew(connection: Connection, renewal: Renewal): Promise<Renewed> {
  const request = requestId(connection)
  let previous = renewal.version ?? 0
  for (let round = 0; round < maxRounds; round += 1) {
    const attempt = () =>
      connection.calls.updateItem(
        renewalInput(renewal, connection.tables.leases, {
          nowMs: connection.nowMs(),
          version: connection.stamp(previous),
          request,
        }),
      )
    const answer = await persist(() => answered(attempt), connection.patience)
    if (answer.renewed) return { kind: 'renewed', lease: storedLease(leaseOf(answer.renewed)) }

    if (!answer.found || isGhost(answer.found)) return { kind: 'missing' }
    const found = leaseOf(answer.found)
    // Ours: an attempt that seemed to fail had been written.
    if (answer.found.q?.S === request) return { kind: 'renewed', lease: storedLease(found) }
    const refusal = refusedRenewal(found, renewal)
    if (refusal) return refusal
    // Nothing speaks against it but a version ahead of our clock.
    previous = found.version
  }
  throw tooManyRequests('the lease is being changed too often, please try again', 1)
}

/** `found` is what stood in the way; neither of both when nothing is there. */
async function answered(
  attempt: () => Promise<UpdateItemCommandOutput>,
): Promise<{ readonly renewed?: Item; readonly found?: Item }> {
  try {
    const { Attributes } = await attempt()
    return { renewed: Attributes! }
  } catch (error) {
    if (!isConditionFailed(error)) throw error
    const { Item } = error as { readonly Item?: Item }
    return Item ? { found: Item } : {}
  }
}

export interface Landing {
  readonly nowMs: number
  readonly version: number
  readonly request: string
}

export function renewalInput(
  renewal: Renewal,
  table: string,
  { nowMs, version, request }: Landing,
): UpdateItemCommandInput {
  const change = changes(renewal)
  return {
    TableName: table,
    Key: leaseKey(renewal.key),
    UpdateExpression: change.expression,
    ConditionExpression: condition(renewal),
    ExpressionAttributeValues: {
      ...change.values,
      ':v': number(version),
      ':b': number(nowMs),
      ':q': text(request),
      ':s': number(schemaNumber),
      ...beliefs(renewal),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
}

/** A PUT replaces the spec and the client's metadata whole, a patch touches what it names. */
function changes(renewal: Renewal) {
  const { object } = renewal
  const named = {
    ...specAttributes(renewalSpec(renewal)),
    ...(object && metaAttributes(metaOf(object.metadata))),
  }
  const values: Record<string, Item[string]> = {}
  const sets = ['v = :v', 'b = :b', 'q = :q']
  const removes: string[] = []
  for (const [name, value] of Object.entries(named)) {
    if (value) {
      sets.push(`${name} = :${name}`)
      values[`:${name}`] = value
    } else if (object) removes.push(name)
  }
  const remove = removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''
  return { expression: `SET ${sets.join(', ')}${remove}`, values }
}

function condition({ spec, version, uid, ownerUid }: Renewal): string {
  const same = version === undefined ? 'v < :v' : 'v = :seen'
  const holder = spec.holderIdentity === undefined ? 'h > :nobody' : 'h = :h'
  const beat = '(attribute_not_exists(r) OR r <> :r)'
  const owner = '(attribute_not_exists(o) OR o = :owner)'
  return [
    same,
    holder,
    beat,
    's = :s',
    'attribute_not_exists(x)',
    ...(uid === undefined ? [] : ['u = :u']),
    ...(ownerUid === undefined ? [] : [owner]),
  ].join(' AND ')
}

function beliefs({ spec, version, uid, ownerUid }: Renewal): Record<string, Item[string]> {
  const { holderIdentity } = spec
  return {
    ...(version !== undefined && { ':seen': number(version) }),
    ...(holderIdentity === undefined ? { ':nobody': text('') } : { ':h': text(holderIdentity) }),
    ...(uid !== undefined && { ':u': text(uid) }),
    ...(ownerUid !== undefined && { ':owner': text(ownerUid) }),
  }
}
