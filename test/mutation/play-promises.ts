/** Spoils one named safety line after another and runs the tests that must notice. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Promised } from './promises.ts'
import { everyPromise } from './vector-promises.ts'

const PLAYER = fileURLToPath(new URL('./promise-player.ts', import.meta.url))
const TIMEOUT_MS = 300_000
/** With this code a player says that a test failed; any other failure says nothing. */
const TEST_FAILED = 3

export interface Played {
  readonly verdict: 'caught' | 'MISSED' | 'BROKEN'
  /** The test that failed. */
  readonly by: string
}

/** `whole` plays it with nothing spoiled, which must pass: what always fails proves nothing. */
export function playPromise({ promise }: Promised, whole?: 'whole'): Played {
  const args = ['--disable-warning=ExperimentalWarning', PLAYER, promise, ...(whole ? [whole] : [])]
  const { status, stdout } = spawnSync(process.execPath, args, {
    timeout: TIMEOUT_MS,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status === TEST_FAILED) return { verdict: 'caught', by: stdout.trim().split('\n').at(-1)! }
  return { verdict: status === 0 ? 'MISSED' : 'BROKEN', by: '' }
}

/** Those with these words in their promise. Returns the exit code. */
export async function playPromises(words: string): Promise<number> {
  const chosen = everyPromise.filter(({ promise }) => promise.includes(words))
  let caught = 0
  const wholes = new Map(chosen.map((one) => [`${one.caughtBy} ${one.named ?? ''}`, one]))
  for (const [tests, one] of wholes) {
    if (playPromise(one, 'whole').verdict === 'MISSED') continue
    console.log(`${tests} fails with nothing spoiled`)
    return 1
  }
  for (const one of chosen) {
    const startedAtMs = performance.now()
    const { verdict, by } = playPromise(one)
    if (verdict === 'caught') caught++
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0)
    console.log(
      `${verdict.padEnd(6)} ${seconds.padStart(4)} s  ${one.promise}  (${one.caughtBy}: ${by})`,
    )
  }
  console.log(`${caught} of ${chosen.length} spoiled lines were caught`)
  return chosen.length > 0 && caught === chosen.length ? 0 : 1
}
