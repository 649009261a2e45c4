/** How the host behaves, once the configuration has been read. */
import type { NodeAddress, Taint } from '../../shared/kube/objects.ts'
import { type Heartbeat, heartbeat } from '../lease/schedule.ts'
import { type Threshold, thresholds } from '../machine/eviction-thresholds.ts'
import { DEFAULT_TRANSITION_MS } from '../machine/pressure.ts'

export interface AgentSettings {
  readonly heartbeat: Heartbeat
  /** The service's grace period, as long as no response to a beat has named it. */
  readonly graceMs: number
  readonly nodeIps: readonly string[]
  /** Announced beside the host's own: those the cloud gave it, or that were configured. */
  readonly moreAddresses: readonly NodeAddress[]
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly providerId?: string
  readonly maxPods: number
  readonly podsPerCore: number
  readonly maxImages: number
  /** What the system keeps for itself, by resource. */
  readonly reserved: Readonly<Record<string, string>>
  readonly thresholds: readonly Threshold[]
  readonly transitionMs: number
}

export const DEFAULTS: AgentSettings = {
  heartbeat: heartbeat({}),
  graceMs: 50_000,
  nodeIps: [],
  moreAddresses: [],
  labels: {},
  taints: [],
  maxPods: 110,
  podsPerCore: 0,
  maxImages: 50,
  reserved: {},
  thresholds: thresholds({}, 'linux'),
  transitionMs: DEFAULT_TRANSITION_MS,
}
