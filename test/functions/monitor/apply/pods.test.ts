import { describe, expect, it } from 'vitest'
import { formatTime } from '../../../../shared/kube/time.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

describe('garbage', () => {
  it('a pod that was marked to go at once, by somebody who died then, goes', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(1, ['a'])
    await fleet.addPod('web', nodeName(0))
    const now = formatTime(fleet.nowMs)
    await fleet.patchPod('web', { deletionTimestamp: now, deletionGracePeriodSeconds: 0 })
    await fleet.run(5_000, fleet.names)
    expect(await fleet.pod('web')).toBeUndefined()
  })
})
