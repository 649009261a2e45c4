/**
 * Keeps the embedded engine quick. It finds the next sequence number of a stream by looking at
 * every record of that stream, so each write to a table with a stream is slower than the last. An
 * index on what it asks for ends that, and records older than a day are dropped as DynamoDB drops
 * them. Both go around the engine, through its SQLite file.
 */
import { DatabaseSync } from 'node:sqlite'

export interface StreamTending {
  stop(): void
}

/** The engine's own question, word for word: SQLite uses the index only for the same expression. */
const createIndex = `
  CREATE INDEX IF NOT EXISTS leasehold_stream_sequence
  ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`

/** The newest record of a table stays: the next sequence number is counted from it. */
const dropOld = `
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE created_at < ? AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)
    ORDER BY id LIMIT ?)`

const keptMs = 24 * 60 * 60 * 1_000
const trimEveryMs = 10 * 60 * 1_000
/** Deleted in small bites, since the engine waits for the file meanwhile. */
const bite = 500
const busyTimeoutMs = 5_000

/** After the engine answers: it makes its schema before it listens. */
export function tendStreams(file: string): StreamTending {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  database.exec(createIndex)
  const trim = () => trimStreams(database, Date.now())
  trim()
  const timer = setInterval(trim, trimEveryMs).unref()
  return {
    stop() {
      clearInterval(timer)
      if (database.isOpen) database.close()
    },
  }
}

export function trimStreams(database: DatabaseSync, nowMs: number): number {
  const statement = database.prepare(dropOld)
  let dropped = 0
  for (;;) {
    const { changes } = statement.run(Math.floor((nowMs - keptMs) / 1_000), bite)
    dropped += Number(changes)
    if (Number(changes) < bite) return dropped
  }
}
