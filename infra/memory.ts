/** How much memory does each function get? In Lambda a share of a core comes with it. */

/** A beat takes milliseconds, and the bill is the product of time and memory. */
export const API_MEMORY_MB = 512
/** `bench/notifier` measures records a second at this share of a core. */
export const NOTIFIER_MEMORY_MB = 1024

/**
 * More than it fills: what it needs is the share of a core. `bench/handover` measures at 1,000 and
 * at 10,000 nodes how late marks are with it, at a handover and between.
 */
const LEAST_MB = 296
const MB_PER_1000_NODES = 24
const MOST_MB = 3008

export function monitorMemoryMb(fleetSize: number): number {
  return Math.min(LEAST_MB + Math.ceil((fleetSize / 1000) * MB_PER_1000_NODES), MOST_MB)
}
