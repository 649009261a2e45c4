/**
 * Every order of {beat, silence, tick, death between any two calls, restart, second monitor} in a
 * small world, with the real decide and apply: each moment is left in every possible way, and each
 * way is watched by the invariants.
 */

import { formOf } from './model-state.ts'
import {
  beat,
  beginning,
  copyOf,
  enter,
  type Moment,
  PERIOD_MS,
  type Run,
  tickOnce,
} from './model-world.ts'
import { newProcess } from './process.ts'
import { seededRng } from './rng.ts'

export interface Search {
  readonly sizes: readonly number[]
  /** Ends when this many different moments have been seen. */
  readonly maxStates: number
  readonly onProgress?: (states: number, ways: number) => void
}

export interface Found {
  readonly states: number
  /** How many ways from one moment to the next were tried. */
  readonly ways: number
  readonly broken?: { readonly why: string; readonly story: readonly string[] }
}

interface Open {
  readonly moment: Moment
  readonly story: readonly string[]
}

export async function checkModel({ sizes, maxStates, onProgress }: Search): Promise<Found> {
  const seen = new Set<string>()
  const open: Open[] = [{ moment: await beginning(sizes), story: [] }]
  // Neither the oldest nor the newest first: so the search goes wide and deep.
  const rng = seededRng(1)
  let ways = 0
  while (open.length > 0 && seen.size < maxStates) {
    const at = rng.whole(0, open.length - 1)
    const { moment, story } = open[at]!
    open[at] = open.at(-1)!
    open.pop()
    for await (const [what, leave] of waysFrom(moment)) {
      ways += 1
      const told = [...story, what]
      try {
        const next = await leave()
        const { key } = formOf(next)
        if (seen.has(key)) continue
        seen.add(key)
        open.push({ moment: next, story: told })
      } catch (error) {
        return { states: seen.size, ways, broken: { why: String(error), story: told } }
      }
    }
    onProgress?.(seen.size, ways)
  }
  return { states: seen.size, ways }
}

type Way = readonly [string, () => Promise<Moment>]

async function* waysFrom(moment: Moment): AsyncIterable<Way> {
  yield ['silence', async () => copyOf(moment, PERIOD_MS)]
  const { kinds } = formOf(moment)
  for (const name of kinds) yield [`${name} beats`, () => then(moment, (run) => beatIn(run, name))]
  let calls = 0
  yield [
    'a tick',
    () =>
      then(moment, async (run) => {
        calls = await tickOnce(run, 'one', async () => {})
      }),
  ]
  for (let call = 1; call <= calls; call += 1) {
    yield [`a tick that dies before call ${call}`, () => then(moment, (run) => dying(run, call))]
    for (const name of kinds) {
      const meanwhile = (run: Run) => beatIn(run, name)
      yield [`a tick; before call ${call} ${name} beats`, () => between(moment, call, meanwhile)]
    }
    const second = (run: Run) => tickOnce(run, 'two', async () => {}).then(() => {})
    yield [`a tick; before call ${call} another`, () => between(moment, call, second)]
  }
}

const api = newProcess('api', 'api', 0, 0)

const beatIn = ({ moment, store }: Run, name: string) => beat(store(api), name, moment.nowMs)

async function then(moment: Moment, act: (run: Run) => Promise<void>): Promise<Moment> {
  const next = copyOf(moment)
  const run = enter(next)
  await act(run)
  run.check()
  return next
}

/** The dead never come back from the call; that they got there is all there is to wait for. */
async function dying(run: Run, lastCall: number): Promise<void> {
  let isDead = false
  await new Promise<void>((resolve, reject) => {
    const ticked = tickOnce(run, 'one', async (call) => {
      if (call >= lastCall) isDead = true
      if (!isDead) return
      resolve()
      await new Promise<never>(() => {})
    })
    ticked.then(() => resolve(), reject)
  })
}

const between = (moment: Moment, before: number, meanwhile: (run: Run) => Promise<void>) =>
  then(moment, async (run) => {
    await tickOnce(run, 'one', async (call) => {
      if (call === before) await meanwhile(run)
    })
  })
