/**
 * What the clients did and what they were told, one line of JSON for each call. The Go judge reads
 * the same lines, so every field here has its twin in judge/history.go.
 */

/** For how long the clients take a lease. */
export const LEASE_SECONDS = 1

export type Kind = 'lease' | 'nodeLease' | 'node'

/** What a client asks for. Every write bears a token by which a later read recognises it. */
export interface Call {
  readonly do: 'read' | 'create' | 'put' | 'putStatus' | 'patch' | 'append' | 'count' | 'delete'
  /** The version it must still be; absent: whatever is stored. */
  readonly version?: number
  /** Of the object the client read; absent: any. */
  readonly uid?: string
  readonly token?: string
  /** Leases: who shall hold it, '' to release; absent: the holder stays. */
  readonly holder?: string
  /** Nodes: the counter that `count` expects and raises by one. */
  readonly from?: number
}

/** The object in an answer. */
export interface Seen {
  readonly version: number
  readonly uid: string
  /** Of the last write that replaced it: `renewTime` of a lease, an annotation of a node. */
  readonly token: string
  readonly holder?: string
  readonly transitions?: number
  /** Nodes: the tokens that were appended. */
  readonly list?: readonly string[]
  readonly count?: number
}

/**
 * `refused`: the service said that nothing was written. `unknown`: it may have been written, at any
 * time until the end of the run.
 */
export type Outcome = 'ok' | 'refused' | 'unknown'

/** Why a call was refused, in words the models know. */
export type Refusal =
  | 'held'
  | 'modified'
  | 'version'
  | 'uid'
  | 'exists'
  | 'missing'
  | 'invalid'
  | 'busy'
  | 'other'

export interface Entry {
  readonly id: number
  readonly key: string
  readonly kind: Kind
  readonly client: number
  /** Microseconds since the run began, by a clock that never goes back. */
  readonly invokedUs: number
  readonly returnedUs: number
  readonly call: Call
  readonly outcome: Outcome
  /** Of the answer; absent when none came. */
  readonly status?: number
  readonly why?: Refusal
  readonly seen?: Seen
}

export const isWrite = ({ call }: Entry): boolean => call.do !== 'read'

export function formatHistory(entries: readonly Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** A line that is no entry is an error that names it: a judgement on half a history is worthless. */
export function parseHistory(text: string): readonly Entry[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, at) => {
    const entry = parsed(line)
    if (!entry)
      throw new Error(`line ${at + 1} of the history is no operation: ${line.slice(0, 80)}`)
    return entry
  })
}

function parsed(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<Entry> | null
    const isComplete =
      typeof entry?.key === 'string' &&
      typeof entry.invokedUs === 'number' &&
      typeof entry.returnedUs === 'number' &&
      entry.invokedUs <= entry.returnedUs &&
      typeof entry.call?.do === 'string' &&
      (entry.outcome === 'ok' || entry.outcome === 'refused' || entry.outcome === 'unknown')
    return isComplete ? (entry as Entry) : undefined
  } catch {
    return undefined
  }
}

/** In the order in which keys first appear. */
export function byKey(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  return Map.groupBy(entries, ({ key }) => key)
}
