/**
 * Lies that need no search: each check looks for one promise broken in plain sight. Porcupine finds
 * them too, but says only that no order explains the history; these say what happened.
 */
import { byKey, type Entry, isWrite, LEASE_SECONDS, type Seen } from './history.ts'

export interface Violation {
  readonly key: string
  readonly check:
    | 'refused yet written'
    | 'applied twice'
    | 'two holders'
    | 'fencing number fell'
    | 'fencing number repeated'
  readonly what: string
  /** Ids of the entries that prove it. */
  readonly entries: readonly number[]
}

/** What the server waits beyond the duration before a takeover. */
const ALLOWANCE_SECONDS = 1

export function directChecks(entries: readonly Entry[]): readonly Violation[] {
  return [...byKey(entries).values()].flatMap((history) => [
    ...refusedYetWritten(history),
    ...appliedTwice(history),
    ...(history[0]?.kind === 'node' ? [] : [...twoHolders(history), ...fencing(history)]),
  ])
}

interface Sighting extends Seen {
  readonly entry: Entry
}

/** Every state that an answer showed, in the order of versions, which is the order of writes. */
function sightings(history: readonly Entry[]): readonly Sighting[] {
  return history
    .flatMap((entry) => (entry.seen ? [{ ...entry.seen, entry }] : []))
    .toSorted((a, b) => a.version - b.version)
}

/** A refusal promises that nothing was written. */
function refusedYetWritten(history: readonly Entry[]): readonly Violation[] {
  const shown = new Map<string, Entry>()
  for (const entry of history) {
    for (const token of [entry.seen?.token, ...(entry.seen?.list ?? [])])
      if (token && !shown.has(token)) shown.set(token, entry)
  }
  return history.flatMap((entry): readonly Violation[] => {
    const { id, key, call, status } = entry
    const reader = entry.outcome === 'refused' && call.token ? shown.get(call.token) : undefined
    if (!reader) return []
    const what = `${call.do} ${call.token} was refused with ${status} and is in a later answer`
    return [{ key, check: 'refused yet written', what, entries: [id, reader.id] }]
  })
}

/**
 * A write that came back after another had replaced it was applied twice, and so was one whose
 * token is in the list twice.
 */
function appliedTwice(history: readonly Entry[]): readonly Violation[] {
  const found = new Map<string, Violation>()
  const replacedBy = new Map<string, number>()
  let before: Sighting | undefined
  for (const seen of sightings(history)) {
    const { key, id } = seen.entry
    const doubled = seen.list?.find((token, at) => seen.list?.indexOf(token) !== at)
    if (doubled !== undefined && !found.has(doubled)) {
      const what = `${doubled} is in the list twice`
      found.set(doubled, { key, check: 'applied twice', what, entries: [id] })
    }
    if (before && before.token !== seen.token) replacedBy.set(before.token, before.entry.id)
    const earlier = replacedBy.get(seen.token)
    if (earlier !== undefined && !found.has(seen.token)) {
      const what = `${seen.token} was replaced, and is there again at version ${seen.version}`
      found.set(seen.token, { key, check: 'applied twice', what, entries: [earlier, id] })
    }
    before = seen
  }
  return [...found.values()]
}

/**
 * A renewal that was confirmed keeps the lease at least until its invocation plus the duration, by
 * the server's clock, which is this machine's; a takeover comes a second later still. Only a release
 * or a deletion in between ends it earlier.
 */
function twoHolders(history: readonly Entry[]): readonly Violation[] {
  const tenures = history.filter(isTenure)
  const ends = history.filter(mayEndTenure)
  const keptUs = (LEASE_SECONDS + ALLOWANCE_SECONDS) * 1_000_000
  return tenures.flatMap((taking): readonly Violation[] => {
    const earlier = tenures.find((kept) => {
      if (kept.seen.holder === taking.seen.holder) return false
      if (kept.seen.version >= taking.seen.version) return false
      if (taking.returnedUs >= kept.invokedUs + keptUs) return false
      return !ends.some(
        (end) => end.invokedUs <= taking.returnedUs && endedUs(end) >= kept.invokedUs,
      )
    })
    if (!earlier) return []
    const afterMs = Math.round((taking.returnedUs - earlier.invokedUs) / 1_000)
    const { holder } = earlier.seen
    const what = `${taking.seen.holder} held ${afterMs} ms after ${holder} had renewed for 1 s`
    const entries = [earlier.id, taking.id]
    return [{ key: taking.key, check: 'two holders', what, entries }]
  })
}

interface Tenure extends Entry {
  readonly seen: Seen
}

/** The client itself was told that it holds the lease from now on. */
function isTenure(entry: Entry): entry is Tenure {
  const { call, outcome, seen } = entry
  return outcome === 'ok' && isWrite(entry) && !!call.holder && seen?.holder === call.holder
}

function mayEndTenure({ call, outcome }: Entry): boolean {
  return outcome !== 'refused' && (call.do === 'delete' || call.holder === '')
}

/** An unknown call may take effect long after its client has given up. */
const endedUs = ({ outcome, returnedUs }: Entry) =>
  outcome === 'unknown' ? Number.POSITIVE_INFINITY : returnedUs

/**
 * The number never falls and is never given twice. A node's lease forgets it when it is deleted, and
 * is then another lease with another uid.
 */
function fencing(history: readonly Entry[]): readonly Violation[] {
  const lives = Map.groupBy(sightings(history), ({ uid, entry }) =>
    entry.kind === 'nodeLease' ? uid : '',
  )
  return [...lives.values()].flatMap((life) => [...fallen(life), ...repeated(life)])
}

function fallen(life: readonly Sighting[]): readonly Violation[] {
  return life.flatMap((seen, at): readonly Violation[] => {
    const before = life[at - 1]
    const [was = 0, is = 0] = [before?.transitions, seen.transitions]
    if (!before || is >= was) return []
    const what = `${was} at version ${before.version}, ${is} at version ${seen.version}`
    const entries = [before.entry.id, seen.entry.id]
    return [{ key: seen.entry.key, check: 'fencing number fell', what, entries }]
  })
}

/** Within one number: one holder, and once that one is gone it does not come back. */
function repeated(life: readonly Sighting[]): readonly Violation[] {
  const numbers = Map.groupBy(life, ({ transitions = 0 }) => transitions)
  return [...numbers].flatMap(([number, seen]): readonly Violation[] => {
    const start = seen.findIndex(({ holder }) => !!holder)
    const first = seen[start]
    if (!first) return []
    const tail = seen.slice(start)
    const left = tail.findIndex(({ holder, uid }) => holder !== first.holder || uid !== first.uid)
    const again = left < 0 ? undefined : tail.slice(left).find(({ holder }) => !!holder)
    if (!again) return []
    const { key } = again.entry
    const what = `${number} belongs to ${first.holder} and, at version ${again.version}, to ${again.holder}`
    const entries = [first.entry.id, again.entry.id]
    return [{ key, check: 'fencing number repeated', what, entries }]
  })
}
