/** The tolerations the server adds: unless a pod says otherwise, it stays five minutes. */
import type { Toleration } from '../objects.ts'

export interface TolerationDefaults {
  readonly notReadySeconds: number
  readonly unreachableSeconds: number
}

const FIVE_MINUTES: TolerationDefaults = { notReadySeconds: 300, unreachableSeconds: 300 }

export function withDefaultTolerations(
  tolerations: readonly Toleration[],
  { notReadySeconds, unreachableSeconds }: TolerationDefaults = FIVE_MINUTES,
): readonly Toleration[] {
  const added = [
    noExecute('node.kubernetes.io/not-ready', notReadySeconds),
    noExecute('node.kubernetes.io/unreachable', unreachableSeconds),
  ].filter(({ key }) => !tolerations.some((toleration) => mentions(toleration, key)))
  return added.length > 0 ? [...tolerations, ...added] : tolerations
}

const noExecute = (key: string, tolerationSeconds: number) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
})

/** Operator, value and seconds are ignored: a pod that mentions the taint keeps its choice. */
const mentions = ({ key, effect }: Toleration, taintKey: string): boolean =>
  (!key || key === taintKey) && (!effect || effect === 'NoExecute')
