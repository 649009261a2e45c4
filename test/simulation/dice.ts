/** Chance that can be replayed: everything random in a world comes out of its seed. */

export interface Dice {
  /** In [0, 1). */
  readonly random: () => number
  readonly chance: (likelihood: number) => boolean
  readonly between: (low: number, high: number) => number
  /** Whole, both ends included. */
  readonly whole: (low: number, high: number) => number
  readonly pick: <T>(items: readonly T[]) => T
}

export function seededDice(seed: number): Dice {
  const random = mulberry(seed)
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
 * Each part of a world throws its own dice, so that a new habit of one does not change all others.
 */
export function diceOf(seed: number, part: string): Dice {
  let hash = seed | 0
  for (const letter of part) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return seededDice(hash)
}

function mulberry(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
