/** A machine for simulated hosts, whose facts and signals can be set. */
import type { Machine, MachineFacts } from './machine.ts'
import type { Observations } from './pressure.ts'

const GIB = 1024 ** 3

interface SimulatedMachine extends Machine {
  set(change: { readonly facts?: Partial<MachineFacts>; readonly signals?: Observations }): void
}

export function simulatedMachine(
  name: string,
  given: Partial<MachineFacts> = {},
): SimulatedMachine {
  let facts: MachineFacts = {
    hostname: name,
    machineId: `simulated-${name}`,
    systemUuid: `simulated-${name}`,
    bootId: `boot-${name}`,
    kernel: '6.12.0-simulated',
    osImage: 'Simulated Linux',
    os: 'linux',
    arch: 'amd64',
    cores: 4,
    memoryBytes: 8 * GIB,
    swapBytes: 0,
    storageBytes: 100 * GIB,
    addresses: [addressOf(name)],
    ...given,
  }
  let signals: Observations = {
    'memory.available': { available: 6 * GIB, capacity: 8 * GIB },
    'nodefs.available': { available: 60 * GIB, capacity: 100 * GIB },
    'nodefs.inodesFree': { available: 6_000_000, capacity: 6_500_000 },
    'pid.available': { available: 30_000, capacity: 32_768 },
  }
  return {
    facts: async () => facts,
    observe: async () => signals,
    set(change) {
      facts = { ...facts, ...change.facts }
      signals = { ...signals, ...change.signals }
    },
  }
}

/** The same name always has the same address, and different names mostly have different ones. */
function addressOf(name: string): string {
  let hash = 0
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % (250 * 250 * 250)
  const part = (divisor: number) => 1 + (Math.floor(hash / divisor) % 250)
  return `10.${part(62_500)}.${part(250)}.${part(1)}`
}
