/**
 * Pods as systemd units: pod `web` is `leasehold-web.service`, started and stopped by systemctl. In
 * another namespace than `default` it is `leasehold-NAMESPACE_web.service`.
 */
import type { Pod } from '../../shared/kube/objects.ts'
import { runChild } from '../child-process.ts'
import {
  type DriverResult,
  FENCE_LIMIT_MS,
  type PodDriver,
  START_LIMIT_MS,
  stopLimitMs,
  toResult,
} from './driver.ts'

/** Keeps a pod from starting a unit of the host itself, such as systemd-reboot. */
const DEFAULT_PREFIX = 'leasehold-'
const SYSTEMCTL = 'systemctl'

/** systemctl's exit code for an unknown unit. A pod without a unit must still be deletable. */
const NOT_LOADED = 5

const PREFIX = /^[A-Za-z0-9_][A-Za-z0-9:_.-]{0,63}$/
/** Narrower than what systemd allows: no `@`, no backslash, nothing that begins an option. */
const POD_NAME = /^[a-z0-9]([a-z0-9.-]{0,180}[a-z0-9])?$/

const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Undefined for a pod name that cannot safely be part of a unit name. */
export function unitName(pod: Pod, prefix: string): string | undefined {
  const { name = '', namespace = 'default' } = pod.metadata
  if (!PREFIX.test(prefix) || !POD_NAME.test(name) || !NAMESPACE.test(namespace)) return undefined
  // No name of Kubernetes has an underscore, so no two pods share a unit.
  return `${prefix}${namespace === 'default' ? '' : `${namespace}_`}${name}.service`
}

export function systemdDriver(prefix = DEFAULT_PREFIX, program = SYSTEMCTL): PodDriver {
  if (!PREFIX.test(prefix)) throw new Error(`"${prefix}" cannot begin the name of a systemd unit`)
  const call = (verb: readonly string[], units: readonly string[], limitMs: number) => {
    // `--` ends the options: what follows is a name whatever it looks like.
    const args = ['--no-ask-password', ...verb, '--', ...units]
    return runChild(program, { args, limitMs })
  }
  const run = async (...asked: Parameters<typeof call>) => toResult(await call(...asked))
  const stop = async (pod: Pod): Promise<DriverResult> => {
    const unit = unitName(pod, prefix)
    const child = unit && (await call(['stop'], [unit], stopLimitMs(pod)))
    if (child && child.code !== NOT_LOADED) return toResult(child)
    return { ok: true, message: 'there is no such unit, so nothing runs' }
  }
  return {
    async start(pod) {
      const unit = unitName(pod, prefix)
      if (unit) return run(['start'], [unit], START_LIMIT_MS)
      return { ok: false, message: `no unit can be named ${pod.metadata.name}` }
    },
    stop,
    async fence(pods) {
      const units = pods.flatMap((pod) => unitName(pod, prefix) ?? [])
      if (units.length === 0) return { ok: true, message: 'nothing to stop' }
      // SIGKILL: there is no time left for a graceful end.
      const killed = await run(['kill', '--signal=KILL'], units, FENCE_LIMIT_MS / 2)
      const stopped = await run(['stop'], units, FENCE_LIMIT_MS / 2)
      if (stopped.ok) return stopped
      // One unit that does not exist makes the call fail for all of them.
      const each = await Promise.all(
        units.map((unit) => call(['stop'], [unit], FENCE_LIMIT_MS / 2)),
      )
      if (each.every(({ code }) => code === 0 || code === NOT_LOADED))
        return toResult({ code: 0, output: '' })
      return { ok: false, message: `${killed.message}; ${stopped.message}` }
    },
  }
}
