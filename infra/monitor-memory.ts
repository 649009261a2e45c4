/** How much memory does the monitor need for a fleet? `bench/tick` measures what a node costs. */
const LEAST_MB = 256
const MB_PER_1000_NODES = 12
const MOST_MB = 3008

export function monitorMemoryMb(fleetSize: number): number {
  return Math.min(LEAST_MB + Math.ceil((fleetSize / 1000) * MB_PER_1000_NODES), MOST_MB)
}
