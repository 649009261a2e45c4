import { describe, expect, it } from 'vitest'
import type { Pod, PodSpec } from '../../../../shared/kube/objects.ts'
import { validatePod } from '../../../../shared/kube/pod/validation.ts'
import { bullets } from '../resource-writes.ts'

describe('what kubectl prints of a pod', () => {
  const pod = (spec: PodSpec): Pod => ({
    metadata: { name: 'p', namespace: 'ns' },
    spec: {
      ...{ restartPolicy: 'Always', dnsPolicy: 'Default' },
      containers: [{ name: 'a', image: 'a' }],
      ...spec,
    },
  })

  it.each<{ when: string; spec: PodSpec; bullet: string }>([
    {
      when: 'it runs nothing',
      spec: { containers: [] },
      bullet: 'spec.containers: Required value',
    },
    {
      when: 'its restart policy is unknown',
      spec: { restartPolicy: 'Maybe' },
      bullet:
        'spec.restartPolicy: Unsupported value: "Maybe": ' +
        'supported values: "Always", "OnFailure", "Never"',
    },
    {
      when: 'a toleration limits another effect',
      spec: { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 1 }] },
      bullet:
        'spec.tolerations[0].effect: Invalid value: "": ' +
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
    },
    {
      when: 'a toleration of every key compares values',
      spec: { tolerations: [{ operator: 'Equal' }] },
      bullet:
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` ' +
        'is empty, which means "match all values and all keys"',
    },
  ])('when $when', ({ spec, bullet }) => {
    expect(bullets(validatePod(pod(spec)))).toEqual([bullet])
  })
})
