import { expect, it } from 'vitest'
import { toPartialMetadata } from '../../../../shared/kube/meta/partial-metadata.ts'
import type { Lease } from '../../../../shared/kube/objects.ts'

it('leaves nothing of an object but its metadata, under a kind of its own', () => {
  const lease: Lease = {
    ...{ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' },
    metadata: { name: 'a', annotations: { x: 'y' } },
    spec: { holderIdentity: 'me' },
  }
  expect(toPartialMetadata(lease)).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { name: 'a', annotations: { x: 'y' } },
  })
})
