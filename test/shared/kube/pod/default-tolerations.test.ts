import { describe, expect, it } from 'vitest'
import type { Pod, Toleration } from '../../../../shared/kube/objects.ts'
import { withDefaultTolerations } from '../../../../shared/kube/pod/default-tolerations.ts'
import { pods } from '../../../../shared/kube/pod/resource.ts'
import { loadVectors, type VectorCase } from '../../../vectors.ts'

// The vectors write out what the wire leaves out.
const spelled = (tolerations: readonly Toleration[]) =>
  tolerations.map(({ key = '', operator, value = '', effect = '', tolerationSeconds = null }) => ({
    ...{ key, operator, value, effect, tolerationSeconds },
  }))

function admit({ given }: VectorCase): readonly Toleration[] {
  const { operation, subresource, tolerations, notReadySeconds, unreachableSeconds } = given
  if (notReadySeconds !== undefined) {
    return withDefaultTolerations(tolerations, { notReadySeconds, unreachableSeconds })
  }
  const pod: Pod = { metadata: { name: 'p' }, spec: { tolerations } }
  if (operation === 'CREATE') return pods.prepareForCreate(pod).spec?.tolerations ?? []
  // Only these two operations carry a pod through the resource at all.
  if (operation !== 'UPDATE') return tolerations
  return pods.prepareForUpdate(pod, pod, subresource).spec?.tolerations ?? []
}

describe('default-toleration-seconds vectors', () => {
  it.each(loadVectors('default-toleration-seconds').cases)('$name', (one) => {
    expect(spelled(admit(one))).toEqual(spelled(one.expect.tolerations))
  })
})
