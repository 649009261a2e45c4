/**
 * When the api itself has to refuse beats it says so, and whose they were, in a small record of its
 * process, so that the monitor does not take the silence that follows for death. Reporting never
 * delays or fails a request.
 */
import {
  REFUSED_BEATS_KEPT_MS,
  REFUSED_BEATS_PREFIX,
  type RefusedBeats,
} from '../../shared/lifecycle/record-names.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { RefusedBeat } from './deps.ts'

/** However many beats are refused, a process writes once in this time. */
const REPORT_EVERY_MS = 5_000
/** About 80 bytes each; of more nodes than this the newest refusals are told. */
const MAX_NODES = 500
/** Once as remembered, once as it is stored. */
const TRIES = 2

interface ReporterDeps {
  readonly store: Pick<Store, 'records' | 'commit'>
  readonly clock: () => number
  /** Of this process, among all of them. */
  readonly processId: string
  readonly onTrouble: (what: string, error: unknown) => void
}

interface RefusedBeatReporter {
  /** For `onRefusedBeat` of the api's dependencies. */
  note(refused: RefusedBeat): void
  /** Writes what is not told yet, if it is time. Returns the write under way, if there is one. */
  flush(): Promise<void> | undefined
}

export function refusedBeatReporter(deps: ReporterDeps): RefusedBeatReporter {
  const { store, clock, onTrouble } = deps
  const name = `${REFUSED_BEATS_PREFIX}${deps.processId}`
  // In the order of the last refusal, oldest first.
  const nodes = new Map<string, RefusedBeats['nodes'][string]>()
  let stored: number | 'unread' | undefined
  let isTold = true
  let triedAtMs = Number.NEGATIVE_INFINITY
  let writing: Promise<void> | undefined

  const attempt = async (nowMs: number): Promise<boolean> => {
    const believed =
      stored === 'unread' ? (await store.records.get<RefusedBeats>(name))?.version : stored
    // Read again unless the answer comes: a lost one leaves open whether it was written.
    stored = 'unread'
    const value: RefusedBeats = { nodes: Object.fromEntries(nodes) }
    const expiresAtMs = nowMs + REFUSED_BEATS_KEPT_MS
    const belief = believed !== undefined && { believed }
    const commit = await store.commit([{ do: 'putRecord', name, value, expiresAtMs, ...belief }])
    if (commit.kind !== 'committed') return false
    stored = commit.versions[0]
    return true
  }

  const write = async (nowMs: number) => {
    isTold = true
    for (const [node, { atMs }] of nodes) {
      if (nodes.size > MAX_NODES || atMs < nowMs - REFUSED_BEATS_KEPT_MS) nodes.delete(node)
    }
    try {
      for (let tries = 0; tries < TRIES; tries += 1) if (await attempt(nowMs)) return
      isTold = false
    } catch (error) {
      isTold = false
      onTrouble('report that beats were refused', error)
    }
  }

  const flush = () => {
    const nowMs = clock()
    // A clock that was put back must not keep us from reporting.
    const isTime = nowMs - triedAtMs >= REPORT_EVERY_MS || nowMs < triedAtMs
    if (writing || isTold || !isTime) return writing
    triedAtMs = nowMs
    writing = write(nowMs).finally(() => {
      writing = undefined
    })
    return writing
  }

  return {
    note({ node, atMs, uid }) {
      nodes.delete(node)
      nodes.set(node, { atMs, ...(uid !== undefined && { uid }) })
      isTold = false
      void flush()
    },
    flush,
  }
}
