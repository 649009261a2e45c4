import { describe, expect, it } from 'vitest'
import {
  machineIn,
  nodeNameConflict,
  nodeNameConflictEvent,
} from '../../../../shared/auth/join/node-name-conflict.ts'

describe('two machines under one node name', () => {
  it.each([
    { when: 'another machine wants the lease', held: 'a_m1', wanted: 'a_m2', rival: true },
    { when: 'the same machine asks again', held: 'a_m1', wanted: 'a_m1', rival: false },
    { when: 'a plain kubelet holds it', held: 'a', wanted: 'a_m2', rival: false },
    { when: 'a plain kubelet wants it', held: 'a_m1', wanted: 'a', rival: false },
    { when: 'nobody holds it', held: undefined, wanted: 'a_m1', rival: false },
    { when: 'somebody of another name holds it', held: 'ab_m1', wanted: 'a_m2', rival: false },
  ])('$when: rival is $rival', ({ held, wanted, rival }) => {
    expect(nodeNameConflict('a', held, wanted) !== undefined).toBe(rival)
  })

  it('a holder names its machine', () => {
    expect(machineIn('a.b', 'a.b_m_1')).toBe('m_1')
  })

  it('the event names both machines, and repeats have one name', () => {
    const claim = nodeNameConflict('a', 'a_m1', 'a_M-2')!
    const node = { metadata: { name: 'a', uid: 'u' } }
    const event = nodeNameConflictEvent(claim, node, 0)
    expect(event).toMatchObject({
      metadata: { name: 'a.rival.m2', namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'a', uid: 'u' },
      type: 'Warning',
      reason: 'NodeNameConflict',
    })
    expect(event.message).toContain('Machine M-2 tried to beat as node a, which machine m1 holds')
    expect(nodeNameConflictEvent(claim, node, 99).metadata.name).toBe(event.metadata.name)
  })
})
