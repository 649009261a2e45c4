/**
 * One conditional write that survives faults. Each attempt is drafted anew, with a new stamp and a
 * trace of its own in what it writes, because an attempt that timed out may have happened: then the
 * next fails its condition, finds the trace, and knows which attempt it was.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { type Connection, isConditionFailed, requestId } from './connection.ts'
import type { Item } from './items.ts'
import { faultOf, persist } from './persistence.ts'

export interface Draft<T> {
  readonly actions: readonly TransactWriteItem[]
  /** What the caller will be told if this draft is the one that lands. */
  readonly outcome: T
}

export type Written<T> =
  | { readonly kind: 'written'; readonly outcome: T; readonly attributes?: Item }
  | {
      readonly kind: 'refused'
      /** By action: whether its condition failed, and what it met. */
      readonly refusals: readonly Refusal[]
      /** What was refused. */
      readonly outcome: T
      /** An earlier attempt may have happened. */
      readonly unclear: boolean
    }

export interface Refusal {
  readonly failed: boolean
  readonly item?: Item
}

export async function write<T>(
  connection: Connection,
  draft: (trace: string) => Draft<T>,
): Promise<Written<T>> {
  const request = requestId(connection)
  const drafts: Draft<T>[] = []
  let unclear = false
  const attempt = async (): Promise<Written<T>> => {
    const trace = `${request}.${drafts.length}`
    const next = draft(trace)
    drafts.push(next)
    try {
      const attributes = await send(connection, next.actions, trace)
      return { kind: 'written', outcome: next.outcome, ...(attributes && { attributes }) }
    } catch (error) {
      if (faultOf(error) === 'unclear') unclear = true
      const refusals = refusalsOf(error)
      if (!refusals) throw error
      const landed = drafts[landedAttempt(refusals, request)]
      if (landed) return { kind: 'written', outcome: landed.outcome }
      return { kind: 'refused', refusals, outcome: next.outcome, unclear }
    }
  }
  return persist(attempt, connection.patience)
}

/**
 * What changes no version is the same at each attempt, and DynamoDB itself drops the repeat, by its
 * token.
 */
export async function writeUnstamped<T>(
  connection: Connection,
  { actions, outcome }: Draft<T>,
): Promise<Written<T>> {
  const input = { TransactItems: [...actions], ClientRequestToken: requestId(connection) }
  const attempt = async (): Promise<Written<T>> => {
    try {
      await connection.calls.transactWriteItems(input)
      return { kind: 'written', outcome }
    } catch (error) {
      const refusals = refusalsOf(error)
      if (!refusals) throw error
      return { kind: 'refused', refusals, outcome, unclear: false }
    }
  }
  return persist(attempt, connection.patience)
}

/** A lone write is a plain one: half the price of a transaction. */
async function send(
  { calls }: Connection,
  actions: readonly TransactWriteItem[],
  trace: string,
): Promise<Item | undefined> {
  const [only, ...more] = actions
  if (more.length > 0 || !only || only.ConditionCheck) {
    await calls.transactWriteItems({ TransactItems: [...actions], ClientRequestToken: trace })
    return undefined
  }
  if (only.Put) await calls.putItem(only.Put)
  if (only.Delete) await calls.deleteItem(only.Delete)
  if (!only.Update) return undefined
  const { UpdateExpression, ...update } = only.Update
  const input = { ...update, UpdateExpression, ReturnValues: 'ALL_NEW' as const }
  return (await calls.updateItem(input)).Attributes
}

function landedAttempt(refusals: readonly Refusal[], request: string): number {
  const traces = refusals.map(({ item }) => (item?.q ?? item?.request)?.S ?? '')
  const ours = traces.find((trace) => trace.startsWith(`${request}.`))
  return ours === undefined ? -1 : Number(ours.slice(request.length + 1))
}

interface Cancelled {
  readonly name?: string
  readonly Item?: Item
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Item }[]
}

/** Undefined when the error is not about conditions at all. */
function refusalsOf(error: unknown): readonly Refusal[] | undefined {
  const { name, Item, CancellationReasons = [] } = error as Cancelled
  if (isConditionFailed(error)) return [{ failed: true, ...(Item && { item: Item }) }]
  if (name !== 'TransactionCanceledException') return undefined
  const refusals = CancellationReasons.map(({ Code, Item: item }) => ({
    failed: Code === 'ConditionalCheckFailed',
    ...(item && { item }),
  }))
  return refusals.some(({ failed }) => failed) ? refusals : undefined
}
