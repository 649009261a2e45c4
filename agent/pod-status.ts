/** What is told about a pod once its start has been tried. */
import { formatTime } from '../shared/kube/time.ts'
import type { DriverResult } from './pod-driver.ts'

export function podStatusPatch({ ok, message }: DriverResult, nowMs: number) {
  const ready = {
    type: 'Ready',
    status: ok ? 'True' : 'False',
    lastTransitionTime: formatTime(nowMs),
    reason: ok ? 'Started' : 'StartFailed',
    message: ok ? '' : message,
  }
  return { status: { phase: ok ? 'Running' : 'Pending', conditions: [ready] } }
}
