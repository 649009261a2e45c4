/** Inputs of one status update, as a test wants them. */
import type { MachineFacts } from '../../../agent/machine/machine.ts'
import {
  computeNodeStatus,
  type SetterInput,
  type StatusSettings,
} from '../../../agent/status/node-status.ts'
import type { UpdateInput } from '../../../agent/status/update.ts'
import type { Node } from '../../../shared/kube/objects.ts'

export const someFacts: MachineFacts = {
  hostname: 'a',
  machineId: 'm',
  systemUuid: 's',
  bootId: 'b',
  kernel: 'k',
  osImage: 'o',
  os: 'linux',
  arch: 'amd64',
  cores: 2,
  memoryBytes: 1024,
  swapBytes: 0,
  storageBytes: 4096,
  addresses: ['10.0.0.5'],
}

export const someSettings: StatusSettings = {
  nodeName: 'a',
  nodeIps: [],
  hasExternalProvider: false,
  maxPods: 110,
  podsPerCore: 0,
  reserved: {},
  maxImages: 50,
  runtimeType: 'leasehold',
  agentVersion: 'v0.1.0',
}

export const someSetterInput: SetterInput = {
  settings: someSettings,
  facts: someFacts,
  pressures: new Set(),
  readinessErrors: {},
  customConditions: [],
  wasRebootReported: false,
  nowMs: Date.UTC(2026, 0, 2),
}

export interface InputWanted {
  readonly changed?: boolean
  readonly due?: boolean
  readonly storedReady?: string
  readonly wouldBe?: string
}

export function updateInput(wanted: InputWanted): UpdateInput {
  const { changed = false, due = false, storedReady, wouldBe = 'True' } = wanted
  const readinessErrors = wouldBe === 'True' ? {} : { runtime: 'down' }
  const setterInput = { ...someSetterInput, readinessErrors }
  const settled = computeNodeStatus({ metadata: { name: 'a' } }, setterInput).node
  const cached = storedReady ? withReady(settled, storedReady) : settled
  const reportMs = 300_000
  return {
    setterInput,
    cached: changed ? { ...cached, status: { ...cached.status, phase: 'Odd' } } : cached,
    last: { atMs: due ? -reportMs : 0, delayMs: 0 },
    reportMs,
    random: 0.5,
    isForced: changed,
    steadyMs: 0,
  }
}

function withReady(node: Node, status: string): Node {
  const conditions = node.status?.conditions?.map((each) =>
    each.type === 'Ready' ? { ...each, status: status as 'True' } : each,
  )
  return { ...node, status: { ...node.status, conditions } }
}
