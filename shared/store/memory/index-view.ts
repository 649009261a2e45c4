/** What DynamoDB's two indexes show: changes by version and pods by node, with a lag. */

import type { WallClock } from '../clock.ts'
import { hasExpired } from '../object-state.ts'
import type { Change } from '../ports.ts'
import { lowerBound } from './lower-bound.ts'

interface IndexEntry {
  readonly change: Change
  /** The node a pod is on. */
  readonly node?: string
  readonly expiresAtMs?: number
}

export interface IndexView {
  put(resource: string, id: string, entry: IndexEntry): void
  drop(resource: string, id: string): void
  changes(resource: string, sinceVersion: number): readonly Change[]
  podsOn(node: string): readonly Change[]
}

interface Slot {
  readonly entry: IndexEntry
  shown: boolean
}

/** Superseded slots are swept out when they are this many and more than half. */
const sweepFrom = 1_000

export function indexView(clock: WallClock, lagMs: () => number): IndexView {
  const feeds = new Map<string, Feed>()
  const byNode = new Map<string, Map<string, Change>>()
  const arriving: { readonly atMs: number; readonly arrive: () => void }[] = []
  const dueMs = new Map<string, number>()

  const feedOf = (resource: string) => {
    const found = feeds.get(resource) ?? feed(clock)
    feeds.set(resource, found)
    return found
  }

  const showLater = (id: string, arrive: () => void) => {
    const delayMs = lagMs()
    const atMs = Math.max(clock() + delayMs, dueMs.get(id) ?? 0)
    if (delayMs === 0 && !dueMs.has(id)) return arrive()
    // Changes of one object are shown in their order, whatever their lags.
    dueMs.set(id, atMs)
    arriving.push({ atMs, arrive })
  }

  const showDue = () => {
    if (arriving.length === 0) return
    const nowMs = clock()
    const due = arriving.filter(({ atMs }) => atMs <= nowMs)
    if (due.length === 0) return
    const waiting = arriving.filter(({ atMs }) => atMs > nowMs)
    arriving.splice(0, arriving.length, ...waiting)
    for (const { arrive } of due) arrive()
    for (const [id, atMs] of dueMs) if (atMs <= nowMs) dueMs.delete(id)
  }

  const show = (resource: string, id: string, entry: IndexEntry | undefined) => {
    const old = feedOf(resource).show(id, entry)
    if (old?.node && old.node !== entry?.node) byNode.get(old.node)?.delete(id)
    if (!entry?.node) return
    const pods = byNode.get(entry.node) ?? new Map<string, Change>()
    byNode.set(entry.node, pods.set(id, entry.change))
  }

  return {
    put: (resource, id, entry) => showLater(`${resource} ${id}`, () => show(resource, id, entry)),
    drop: (resource, id) => showLater(`${resource} ${id}`, () => show(resource, id, undefined)),
    changes(resource, sinceVersion) {
      showDue()
      return feedOf(resource).since(sinceVersion)
    },
    podsOn(node) {
      showDue()
      return [...(byNode.get(node)?.values() ?? [])]
    },
  }
}

interface Feed {
  /** Returns what it showed before under this id. */
  show(id: string, entry: IndexEntry | undefined): IndexEntry | undefined
  since(version: number): readonly Change[]
}

function feed(clock: WallClock): Feed {
  let slots: Slot[] = []
  const current = new Map<string, Slot>()
  let hidden = 0

  const sweep = () => {
    const nowMs = clock()
    for (const [id, { entry }] of current) if (hasExpired(entry, nowMs)) current.delete(id)
    slots = slots.filter((slot) => slot.shown && !hasExpired(slot.entry, nowMs))
    hidden = 0
  }

  return {
    show(id, entry) {
      const old = current.get(id)
      if (old) {
        old.shown = false
        hidden += 1
      }
      current.delete(id)
      if (entry) current.set(id, insert(slots, entry))
      if (hidden > sweepFrom && hidden * 2 > slots.length) sweep()
      return old?.entry
    },
    since(version) {
      const nowMs = clock()
      const found = slots.slice(lowerBound(slots, ({ entry }) => entry.change.version < version))
      return found
        .filter((slot) => slot.shown && !hasExpired(slot.entry, nowMs))
        .map(({ entry }) => entry.change)
    },
  }
}

/** Versions grow with time, so the place is nearly always the end. */
function insert(slots: Slot[], entry: IndexEntry): Slot {
  const slot = { entry, shown: true }
  let at = slots.length
  while (at > 0 && slots[at - 1]!.entry.change.version > entry.change.version) at -= 1
  slots.splice(at, 0, slot)
  return slot
}
