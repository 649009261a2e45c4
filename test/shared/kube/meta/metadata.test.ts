import { describe, expect, it } from 'vitest'
import {
  metadataWarnings,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../../../../shared/kube/meta/metadata.ts'
import type { ObjectMeta } from '../../../../shared/kube/objects.ts'

const old: ObjectMeta = {
  name: 'a',
  uid: 'u1',
  generation: 3,
  creationTimestamp: '2026-01-01T00:00:00Z',
  deletionTimestamp: '2026-01-02T00:00:00Z',
  deletionGracePeriodSeconds: 30,
}

describe('prepareMetadataForUpdate', () => {
  it('puts back what an update leaves out or has no say in', () => {
    const sent: ObjectMeta = { name: 'a', generation: 9, creationTimestamp: null }
    expect(prepareMetadataForUpdate(sent, old)).toEqual(old)
  })

  it('leaves what differs for validation to refuse', () => {
    const sent: ObjectMeta = { name: 'a', uid: 'u2', deletionTimestamp: '2027-01-01T00:00:00Z' }
    expect(prepareMetadataForUpdate(sent, old)).toMatchObject({
      uid: 'u2',
      deletionTimestamp: '2027-01-01T00:00:00Z',
    })
  })
})

describe('repeated owners', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }
  const controller = { ...owner, controller: true }

  it('are kept once when they are the same to the letter', () => {
    const { ownerReferences } = prepareMetadataForCreate({
      ownerReferences: [owner, controller, { ...owner }],
    })
    expect(ownerReferences).toEqual([owner, controller])
  })

  it('are told to the client, one uid each', () => {
    const metadata = { ownerReferences: [owner, controller, owner] }
    expect(metadataWarnings({ metadata })).toEqual([expect.stringMatching(/observed: u$/)])
    expect(metadataWarnings({ metadata: { ownerReferences: [owner] } })).toEqual([])
  })
})
