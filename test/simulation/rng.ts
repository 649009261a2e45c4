/** Chance that can be replayed: everything random in a world comes out of its seed. */
import { seededRandom } from '../builders/seeded-random.ts'

export interface Rng {
  /** In [0, 1). */
  readonly random: () => number
  readonly chance: (likelihood: number) => boolean
  readonly between: (low: number, high: number) => number
  /** Whole, both ends included. */
  readonly whole: (low: number, high: number) => number
  readonly pick: <T>(items: readonly T[]) => T
}

export function seededRng(seed: number): Rng {
  const random = seededRandom(seed)
  const between = (low: number, high: number) => low + random() * (high - low)
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1))
  return {
    random,
    chance: (likelihood) => random() < likelihood,
    between,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
  }
}

/**
 * Each part of a world has its own, so that a new draw in one does not change all others.
 */
export function rngOf(seed: number, part: string): Rng {
  let hash = seed | 0
  for (const letter of part) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return seededRng(hash)
}
