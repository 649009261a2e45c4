import { describe, expect, it } from 'vitest'
import { capacityAndAllocatable } from '../../../../agent/status/setters/capacity.ts'
import { someFacts } from '../update-input.ts'

describe('allocatable', () => {
  it('writes bytes as bytes, whatever they round to', () => {
    const facts = { ...someFacts, memoryBytes: 7_000, storageBytes: 5_000 }
    const settings = { maxPods: 110, podsPerCore: 0, reserved: { memory: '1000' } }
    const { allocatable } = capacityAndAllocatable({}, facts, settings)
    expect(allocatable).toMatchObject({ memory: '6000', 'ephemeral-storage': '5000' })
  })
})
