/**
 * Pods as systemd units: pod `web` is `leasehold-web.service`, started and stopped by systemctl.
 */
import type { Pod } from '../shared/kube/objects.ts'
import { runChild } from './child.ts'
import {
  type DriverResult,
  FENCE_LIMIT_MS,
  type PodDriver,
  START_LIMIT_MS,
  stopLimitMs,
  toResult,
} from './pod-driver.ts'

/**
 * A pod must not be able to start whatever unit the host happens to have, such as systemd-reboot.
 */
export const DEFAULT_PREFIX = 'leasehold-'
const SYSTEMCTL = 'systemctl'

/** What systemctl says of a unit it does not have: a pod without one must still be able to end. */
const NOT_LOADED = 5

const PREFIX = /^[A-Za-z0-9_][A-Za-z0-9:_.-]{0,63}$/
/** Narrower than what systemd allows: no `@`, no backslash, nothing that begins an option. */
const POD_NAME = /^[a-z0-9]([a-z0-9.-]{0,180}[a-z0-9])?$/

/** Undefined for a name that cannot safely be part of a unit's. */
export function unitName(pod: Pod, prefix: string): string | undefined {
  const name = pod.metadata.name ?? ''
  return PREFIX.test(prefix) && POD_NAME.test(name) ? `${prefix}${name}.service` : undefined
}

export function systemdDriver(prefix = DEFAULT_PREFIX, program = SYSTEMCTL): PodDriver {
  if (!PREFIX.test(prefix)) throw new Error(`"${prefix}" cannot begin the name of a systemd unit`)
  const stop = async (unit: string, limitMs: number): Promise<DriverResult> => {
    const args = ['--no-ask-password', 'stop', '--', unit]
    const result = await runChild(program, { args, limitMs })
    if (result.code === NOT_LOADED) return { ok: true, message: 'no such unit, so nothing runs' }
    return toResult(result)
  }
  const run = async (verb: readonly string[], units: readonly string[], limitMs: number) => {
    // `--` ends the options: what follows is a name whatever it looks like.
    const args = ['--no-ask-password', ...verb, '--', ...units]
    return toResult(await runChild(program, { args, limitMs }))
  }
  const forUnit = (pod: Pod, act: (unit: string) => Promise<DriverResult>) => {
    const unit = unitName(pod, prefix)
    if (unit) return act(unit)
    return Promise.resolve({ ok: false, message: `no unit can be named ${pod.metadata.name}` })
  }
  return {
    start: (pod) => forUnit(pod, (unit) => run(['start'], [unit], START_LIMIT_MS)),
    stop: (pod) => forUnit(pod, (unit) => stop(unit, stopLimitMs(pod))),
    async fence(pods) {
      const units = pods.flatMap((pod) => unitName(pod, prefix) ?? [])
      if (units.length === 0) return { ok: true, message: 'nothing to stop' }
      // Killed, not asked: there is no time left for a graceful end.
      const killed = await run(['kill', '--signal=KILL'], units, FENCE_LIMIT_MS / 2)
      const stopped = await run(['stop'], units, FENCE_LIMIT_MS / 2)
      return stopped.ok ? stopped : { ok: false, message: `${killed.message}; ${stopped.message}` }
    },
  }
}
