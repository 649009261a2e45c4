/**
 * One conditional write that survives faults. An attempt that went unanswered may have been applied,
 * so each attempt is drafted anew, with a new version stamp, and what it writes bears its id. An item
 * also keeps the id of the write before (`q1`, `requestBefore`), where one was known. When a later
 * attempt fails its condition and finds one of our ids, that earlier attempt succeeded. When it finds
 * none, the caller must find proof, or answer that the write may have happened.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Connection } from './connection.ts'
import type { Item } from './items.ts'
import { attemptId, attemptOf, isConditionFailed, newRequestId, retryWrite } from './retry.ts'

export interface Draft<T> {
  readonly actions: readonly TransactWriteItem[]
  /** What the caller is told if this draft is the one that was applied. */
  readonly outcome: T
}

export type WriteResult<T> =
  | { readonly kind: 'written'; readonly outcome: T; readonly attributes?: Item }
  | ConditionFailed<T>

export interface ConditionFailed<T> {
  readonly kind: 'conditionFailed'
  /** One for each action. */
  readonly conditions: readonly ConditionResult[]
  /** Of the draft that failed. */
  readonly outcome: T
  /** Of the drafts that were sent before it, if one of them may have been applied. */
  readonly unclear: readonly T[]
  /** The draft whose id an item bears. */
  readonly byId: (item: Item | undefined) => T | undefined
}

export interface ConditionResult {
  readonly failed: boolean
  /** The stored item that the action met. */
  readonly item?: Item
}

export async function write<T>(
  connection: Connection,
  draft: (attemptId: string, mayBeApplied: boolean) => Draft<T>,
): Promise<WriteResult<T>> {
  const requestId = newRequestId(connection.retryPolicy)
  const outcomes: T[] = []
  const byId = (item: Item | undefined) => outcomes[attemptIn(item, requestId) ?? -1]
  return retryWrite(connection.retryPolicy, async (mayBeApplied) => {
    const id = attemptId(requestId, outcomes.length)
    const unclear = mayBeApplied ? [...outcomes] : []
    const { actions, outcome } = draft(id, mayBeApplied)
    outcomes.push(outcome)
    try {
      const attributes = await send(connection, actions, id)
      return { kind: 'written', outcome, ...(attributes && { attributes }) }
    } catch (error) {
      return refused(error, { outcome, unclear, byId })
    }
  })
}

/**
 * A write that is the same at each attempt, and so known to DynamoDB by its ClientRequestToken: a
 * repeat of one that was applied succeeds and changes nothing, whatever has happened since. For what
 * could otherwise be applied twice or leaves nothing behind. Twice the price of a plain write.
 */
export async function writeByToken<T>(
  connection: Connection,
  draft: (attemptId: string) => Draft<T>,
): Promise<WriteResult<T>> {
  const requestId = newRequestId(connection.retryPolicy)
  const id = attemptId(requestId, 0)
  const { actions, outcome } = draft(id)
  const byId = (item: Item | undefined) =>
    attemptIn(item, requestId) === undefined ? undefined : outcome
  return retryWrite(connection.retryPolicy, async (mayBeApplied) => {
    try {
      const input = { TransactItems: [...actions], ClientRequestToken: id }
      await connection.calls.transactWriteItems(input)
      return { kind: 'written', outcome }
    } catch (error) {
      // The embedded engine forgets tokens when it is killed, so this alone proves nothing.
      return refused(error, { outcome, unclear: mayBeApplied ? [outcome] : [], byId })
    }
  })
}

/** Rethrows what is not about conditions. */
function refused<T>(
  error: unknown,
  write: Pick<ConditionFailed<T>, 'outcome' | 'unclear' | 'byId'>,
): WriteResult<T> {
  const conditions = conditionResults(error)
  if (!conditions) throw error
  const applied = conditions.map(({ item }) => write.byId(item)).find((one) => one !== undefined)
  if (applied !== undefined) return { kind: 'written', outcome: applied }
  return { kind: 'conditionFailed', conditions, ...write }
}

/** A single write is sent as a plain one, at half the price of a transaction. */
async function send(
  { calls }: Connection,
  actions: readonly TransactWriteItem[],
  attemptId: string,
): Promise<Item | undefined> {
  const [only, ...more] = actions
  if (more.length > 0 || !only || only.ConditionCheck) {
    await calls.transactWriteItems({ TransactItems: [...actions], ClientRequestToken: attemptId })
    return undefined
  }
  if (only.Put) await calls.putItem(only.Put)
  if (only.Delete) await calls.deleteItem(only.Delete)
  if (!only.Update) return undefined
  const { UpdateExpression, ...update } = only.Update
  const input = { ...update, UpdateExpression, ReturnValues: 'ALL_NEW' as const }
  return (await calls.updateItem(input)).Attributes
}

/** The number of our attempt that wrote an item, or what it replaced. */
export function attemptIn(item: Item | undefined, requestId: string): number | undefined {
  const { q, q1, request, requestBefore } = item ?? {}
  const latest = attemptOf(requestId, (q ?? request)?.S)
  return latest ?? attemptOf(requestId, (q1 ?? requestBefore)?.S)
}

interface Cancelled {
  readonly name?: string
  readonly Item?: Item
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Item }[]
}

/** Undefined when the error is not about conditions. */
function conditionResults(error: unknown): readonly ConditionResult[] | undefined {
  const { name, Item, CancellationReasons = [] } = error as Cancelled
  if (isConditionFailed(error)) return [{ failed: true, ...(Item && { item: Item }) }]
  if (name !== 'TransactionCanceledException') return undefined
  const results = CancellationReasons.map(({ Code, Item: item }) => ({
    failed: Code === 'ConditionalCheckFailed',
    ...(item && { item }),
  }))
  return results.some(({ failed }) => failed) ? results : undefined
}
