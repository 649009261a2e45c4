/** How long until the next try? Soon at first, then patiently, and never all tabs at once. */

const FIRST_MS = 500
const LONGEST_MS = 15_000

/** `random` in [0, 1). The first try after a failure has `failures` 1. */
export function backoffMs(failures: number, random: number): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
  return fullMs * (0.5 + random / 2)
}
