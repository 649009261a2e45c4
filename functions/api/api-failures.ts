/**
 * When the api itself fails to take a heartbeat it says so in one small record, so that the monitor
 * does not take the silence that follows for death. Reporting never delays or fails a request.
 */
import { API_FAILURES_RECORD, type ApiFailures } from '../../shared/lifecycle/record-names.ts'
import type { Store } from '../../shared/store/ports.ts'

/** One report in this time says as much as a thousand. */
const REPORT_EVERY_MS = 5_000
/** Failures further apart than this are two incidents. */
const INCIDENT_GAP_MS = 60_000

interface FailureReporterDeps {
  readonly store: Pick<Store, 'records' | 'commit'>
  readonly clock: () => number
  readonly onTrouble: (what: string, error: unknown) => void
}

/** For `onApiFailure` of the api's dependencies. Returns the write under way, if there is one. */
export function createFailureReporter(deps: FailureReporterDeps): () => Promise<void> | undefined {
  const { store, clock, onTrouble } = deps
  let unreported: ApiFailures | undefined
  let triedAtMs = Number.NEGATIVE_INFINITY
  let writing: Promise<void> | undefined

  const write = async () => {
    const failures = unreported!
    const stored = await store.records.get<ApiFailures>(API_FAILURES_RECORD)
    const value = merged(stored?.value, failures)
    const believed = stored && { believed: stored.version }
    const step = { do: 'putRecord' as const, name: API_FAILURES_RECORD, value, ...believed }
    const { kind } = await store.commit([step])
    // Outrun by another process that reports too: these failures are tried again with the next.
    if (kind === 'committed' && unreported === failures) unreported = undefined
  }

  return () => {
    const nowMs = clock()
    unreported = { firstAtMs: unreported?.firstAtMs ?? nowMs, lastAtMs: nowMs }
    if (writing || nowMs - triedAtMs < REPORT_EVERY_MS) return writing
    triedAtMs = nowMs
    writing = write()
      .catch((error: unknown) => onTrouble('report that heartbeats were refused', error))
      .finally(() => {
        writing = undefined
      })
    return writing
  }
}

function merged(before: ApiFailures | undefined, failures: ApiFailures): ApiFailures {
  if (!before || failures.firstAtMs - before.lastAtMs > INCIDENT_GAP_MS) return failures
  return {
    firstAtMs: Math.min(before.firstAtMs, failures.firstAtMs),
    lastAtMs: Math.max(before.lastAtMs, failures.lastAtMs),
  }
}
