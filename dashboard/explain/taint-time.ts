import type { ExplanationObject } from '../../shared/kube/explanation/resource.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'

/** When the NoExecute taint comes, after those ahead in the zone's queue have had theirs. */
export function taintTimeIn({ status }: ExplanationObject): number | undefined {
  if (!status?.next?.startsWith('NoExecute ')) return undefined
  return parseTimeMs(status.nextTime ?? '')
}
