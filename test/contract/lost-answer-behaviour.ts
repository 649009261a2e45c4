/**
 * When the answer of the database is lost, ours must not lie: no write is refused that was applied,
 * none is reported that was not, and none is applied twice, whatever rivals do in between and whenever
 * a lost request arrives after all.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { StatusError } from '../../shared/kube/status-error.ts'
import { WRITE_ATTEMPT_MS } from '../../shared/lifecycle/clock-bounds.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { Loss } from './faulty-proxy.ts'
import { type Answer, lostWrites, type Place, type Rivalry, rivalries } from './lost-writes.ts'
import type { TestClock } from './rig.ts'

export interface LossRig {
  readonly store: Store
  /** Another process, whose answers are not lost. */
  readonly other: Store
  readonly clock: TestClock
  lose(losses: readonly Loss[], then: () => Promise<void>): void
  deliverLate(): Promise<void>
  /** How many writes of `store` were applied since it was last asked. */
  applied(): number
  /** Does it repeat the write and look for proof, or say at once that it does not know? */
  readonly proves: boolean
}

interface Case {
  readonly how: string
  readonly losses: readonly Loss[]
  readonly expected: 'lost' | 'unsent'
}

const cases: readonly Case[] = [
  { how: 'applied, its answer lost', losses: ['lost'], expected: 'lost' },
  { how: 'lost before it arrives', losses: ['unsent'], expected: 'unsent' },
  { how: 'late: it arrives after its repeat', losses: ['late'], expected: 'unsent' },
]
const secondTry: Case = {
  how: 'lost, and its repeat applied with its answer lost',
  losses: ['unsent', 'lost'],
  expected: 'lost',
}

let places = 0

export function lostAnswerBehaviour(make: () => Promise<LossRig>): void {
  let rig: LossRig
  beforeAll(async () => {
    rig = await make()
  })

  describe.each(lostWrites)('$name', ({ prepare, rival, ...expected }) => {
    const all = cases.flatMap((one) => rivalries.map((rivalry) => ({ ...one, rivalry })))

    it.each(all)('that is $how ($rivalry)', async ({ losses, rivalry, expected: as }) => {
      const { answer, applied, isTimely } = await play(rig, { prepare, rival, losses, rivalry })
      expectHonest(answer, applied)
      if (isTimely) expect(answer).toBe(rig.proves ? expected[as][rivalry] : 'unknown')
    })

    it.each(rivalries)(`that is ${secondTry.how} (%s)`, async (rivalry) => {
      const { losses } = secondTry
      const { answer, applied } = await play(rig, { prepare, rival, losses, rivalry })
      expectHonest(answer, applied)
    })
  })
}

interface Played {
  readonly answer: Answer
  readonly applied: number
  /** On a slow machine an attempt times out before the rivals are done, and its repeat meets fewer. */
  readonly isTimely: boolean
}

interface Play extends Pick<(typeof lostWrites)[number], 'prepare' | 'rival'> {
  readonly losses: readonly Loss[]
  readonly rivalry: Rivalry
}

async function play(rig: LossRig, { prepare, rival, losses, rivalry }: Play): Promise<Played> {
  places += 1
  const place: Place = { ...rig, id: `case-${places}` }
  const write = await prepare(place)
  const { change, drop } = rival(place)
  const script = {
    nothing: [],
    one: [change],
    two: [change, change],
    deleted: [drop],
    recreated: [drop, change],
  }[rivalry]
  let rivalsMs = 0
  rig.lose(losses, async () => {
    const startMs = performance.now()
    for (const act of script) {
      rig.clock.advance(1_000)
      await act()
    }
    rivalsMs = performance.now() - startMs
    // The repeat gets a higher version than theirs.
    rig.clock.advance(1_000)
  })
  rig.applied()
  const answer = await answerOf(write)
  await rig.deliverLate()
  return { answer, applied: rig.applied(), isTimely: rivalsMs < WRITE_ATTEMPT_MS / 2 }
}

function expectHonest(answer: Answer, applied: number): void {
  if (answer === 'done') expect(applied).toBe(1)
  if (answer === 'refused') expect(applied).toBe(0)
  expect(applied).toBeLessThanOrEqual(1)
}

const done = new Set(['renewed', 'created', 'replaced', 'removed', 'committed'])

async function answerOf(write: () => Promise<unknown>): Promise<Answer> {
  try {
    const { kind } = (await write()) as { readonly kind: string }
    return done.has(kind) ? 'done' : 'refused'
  } catch (error) {
    if (error instanceof StatusError && error.code === 504) return 'unknown'
    throw error
  }
}
