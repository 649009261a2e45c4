/** Builds the Go judge where there is Go, and asks it about a history. */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { failureReason } from '../../local/emulators/python-environment.ts'

const SOURCE = fileURLToPath(new URL('./judge', import.meta.url))
const BUILT = fileURLToPath(new URL('../../node_modules/.cache/leasehold/go', import.meta.url))
const BUILD_MS = 5 * 60_000
const MOST_OUTPUT = 64 << 20

export interface Verdict {
  readonly key: string
  readonly operations: number
  readonly result: 'Ok' | 'Illegal' | 'Unknown'
  /** Shows how far an order could be found. */
  readonly page?: string
  readonly tookMs: number
}

export type Judge =
  | {
      readonly kind: 'ready'
      judge(history: string, out: string, secondsPerKey: number): Promise<readonly Verdict[]>
    }
  | { readonly kind: 'absent'; readonly why: string }

const run = promisify(execFile)

/** Its own tests come first: a judge with a wrong model would condemn or acquit at random. */
export async function buildJudge(): Promise<Judge> {
  const program = join(BUILT, 'linearizability-judge')
  mkdirSync(BUILT, { recursive: true })
  try {
    await run('go', ['-C', SOURCE, 'mod', 'download'], { timeout: BUILD_MS })
  } catch (error) {
    return { kind: 'absent', why: failureReason(error) }
  }
  await run('go', ['-C', SOURCE, 'test', '.'], { timeout: BUILD_MS })
  await run('go', ['-C', SOURCE, 'build', '-trimpath', '-o', program, '.'], { timeout: BUILD_MS })
  return {
    kind: 'ready',
    async judge(history, out, secondsPerKey) {
      const args = ['-history', history, '-out', out, '-limit', `${secondsPerKey}s`]
      const { stdout } = await run(program, args, { maxBuffer: MOST_OUTPUT })
      const lines = stdout.trim().split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line) as Verdict)
    },
  }
}
