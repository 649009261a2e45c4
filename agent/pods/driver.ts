/** What runs the pods: a hook of the user's, or systemd units. */
import type { Pod } from '../../shared/kube/objects.ts'
import { type ChildResult, runChild } from '../child-process.ts'

export interface DriverResult {
  readonly ok: boolean
  readonly message: string
}

/** Each may be called again after a restart of the agent, and must then do no harm. */
export interface PodDriver {
  start(pod: Pod): Promise<DriverResult>
  stop(pod: Pod): Promise<DriverResult>
  /** The host is cut off: stop all of them now. */
  fence(pods: readonly Pod[]): Promise<DriverResult>
}

export const START_LIMIT_MS = 60_000
/** Fencing must be over before the pods start on another host. */
export const FENCE_LIMIT_MS = 2_000
const DEFAULT_GRACE_SECONDS = 30
const LONGEST_STOP_MS = 600_000
const STOP_ALLOWANCE_MS = 5_000

/** The pod's own grace period, and a little for the program around it. */
export const stopLimitMs = (pod: Pod): number => {
  const seconds = pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  return Math.min(seconds * 1_000 + STOP_ALLOWANCE_MS, LONGEST_STOP_MS)
}

/**
 * `<hook> start|stop|fence` with the pod, or for fence the list of pods, as JSON on standard input.
 */
export function hookDriver(program: string): PodDriver {
  const run = async (word: string, input: unknown, limitMs: number) =>
    toResult(await runChild(program, { args: [word], input: JSON.stringify(input), limitMs }))
  return {
    start: (pod) => run('start', pod, START_LIMIT_MS),
    stop: (pod) => run('stop', pod, stopLimitMs(pod)),
    fence: (pods) => run('fence', { kind: 'PodList', items: pods }, FENCE_LIMIT_MS),
  }
}

export function toResult({ code, output, problem }: ChildResult): DriverResult {
  const text = problem ?? output.split('\n')[0]?.trim()
  return { ok: code === 0, message: text || `exit code ${code ?? 'none'}` }
}
