import { expect, it } from 'vitest'
import type { Lease } from '../../../shared/kube/objects.ts'
import { toPartialMetadata } from '../../../shared/kube/partial-metadata.ts'

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
