/**
 * Keeps the embedded engine fast. To number a stream record it scans all records of that stream, so
 * each write to a table with a stream is slower than the one before. An index on exactly that query
 * cures it, and records older than a day are deleted, as DynamoDB does. Both go around the engine,
 * through its SQLite file.
 */
import { DatabaseSync } from 'node:sqlite'

interface StreamMaintenance {
  stop(): void
}

/** The engine's own expression, word for word: SQLite uses the index for no other. */
const createIndex = `
  CREATE INDEX IF NOT EXISTS leasehold_stream_sequence
  ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`

/** The newest record of a table stays: the next sequence number is counted from it. */
const deleteOld = `
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE created_at < ? AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)
    ORDER BY id LIMIT ?)`

const keptMs = 24 * 60 * 60 * 1_000
const trimEveryMs = 10 * 60 * 1_000
/** Deleted in small batches, since the engine waits for the file meanwhile. */
const batchSize = 500
const busyTimeoutMs = 5_000

/** Call it once the engine answers: it creates its schema before it listens. */
export function maintainStreams(file: string): StreamMaintenance {
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
  const statement = database.prepare(deleteOld)
  let deleted = 0
  for (;;) {
    const { changes } = statement.run(Math.floor((nowMs - keptMs) / 1_000), batchSize)
    deleted += Number(changes)
    if (Number(changes) < batchSize) return deleted
  }
}
