/** What a host is told about itself and how it shall behave, once configuration has been read. */
import type { Taint } from '../shared/kube/objects.ts'
import { DEFAULT_TRANSITION_MS } from './pressure.ts'
import { type Heartbeat, heartbeat } from './schedule.ts'
import { type Threshold, thresholds } from './thresholds.ts'

export const AGENT_VERSION = 'v0.1.0+leasehold'

export interface Settings {
  readonly heartbeat: Heartbeat
  /** What the service is believed to wait in silence, until it says how often it wants a beat. */
  readonly graceMs: number
  readonly nodeIps: readonly string[]
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

export const DEFAULTS: Settings = {
  heartbeat: heartbeat({}),
  graceMs: 50_000,
  nodeIps: [],
  labels: {},
  taints: [],
  maxPods: 110,
  podsPerCore: 0,
  maxImages: 50,
  reserved: {},
  thresholds: thresholds({}, 'linux'),
  transitionMs: DEFAULT_TRANSITION_MS,
}
