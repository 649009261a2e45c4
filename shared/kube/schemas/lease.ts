/** A Lease: who holds it, since when, and when they last said so. */
import { field, int32, microTime, object, pointer, string } from '../schema.ts'
import { metadataField, typeFields } from './meta.ts'

const COORDINATION = 'io.k8s.api.coordination.v1'

export const leaseSpecSchema = object(
  `${COORDINATION}.LeaseSpec`,
  'Who holds the lease, for how long, and when it was last renewed.',
  {
    holderIdentity: pointer(1, string, 'Who holds the lease. Empty means it has been released.'),
    leaseDurationSeconds: pointer(
      2,
      int32,
      'How long others wait after the last renewal before they may take the lease.',
    ),
    acquireTime: pointer(3, microTime, 'When the holder took the lease, by its own clock.'),
    renewTime: pointer(4, microTime, 'When the holder last renewed it, by its own clock.'),
    leaseTransitions: pointer(
      5,
      int32,
      'Counts acquisitions. The server sets it; it never repeats, so it can serve as a fencing token.',
    ),
    strategy: pointer(6, string, 'How a coordinator would choose a holder. Not used here.'),
    preferredHolder: pointer(7, string, 'Whom the holder should yield to. Not used here.'),
  },
)

export const leaseSchema = object(
  `${COORDINATION}.Lease`,
  'A claim that its holder renews while it lives: the heartbeat of a node, or the seat of a leader.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: field(2, leaseSpecSchema, 'The claim itself.'),
  },
)
