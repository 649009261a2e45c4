import type { EC2Client } from '@aws-sdk/client-ec2'
import { describe, expect, it } from 'vitest'
import { ec2Instances } from '../../../../../functions/monitor/features/cloud-check/ec2-instances.ts'

const instance = { providerID: 'aws:///eu-west-1a/i-0abc' }

/** A client that answers as EC2 would, or throws. */
const clientOf = (answer: object | Error): Pick<EC2Client, 'send'> => ({
  send: async () => {
    if (answer instanceof Error) throw answer
    return answer
  },
})
const inState = (Name: string, InstanceId = 'i-0abc') => ({
  Reservations: [{ Instances: [{ InstanceId, State: { Name } }] }],
})
const named = (name: string) => Object.assign(new Error(name), { name })

describe('EC2 is asked about a machine', () => {
  it.each([
    { when: 'it runs', answer: inState('running'), is: 'running' },
    { when: 'it starts', answer: inState('pending'), is: 'running' },
    { when: 'it was stopped', answer: inState('stopped'), is: 'shutdown' },
    { when: 'it is on its way down for good', answer: inState('shutting-down'), is: 'unknown' },
    { when: 'it was terminated', answer: inState('terminated'), is: 'gone' },
    { when: 'nobody knows it', answer: named('InvalidInstanceID.NotFound'), is: 'gone' },
    { when: 'the answer is empty', answer: {}, is: 'unknown' },
    { when: 'the answer is about another', answer: inState('terminated', 'i-1'), is: 'unknown' },
  ])('$when: $is', async ({ answer, is }) => {
    expect(await ec2Instances(clientOf(answer), 'eu-west-1').find(instance)).toBe(is)
  })

  it('does not take an error for an answer', async () => {
    const asking = ec2Instances(clientOf(named('RequestLimitExceeded')), 'eu-west-1').find(instance)
    await expect(asking).rejects.toThrow('RequestLimitExceeded')
  })

  it.each([{ name: 'host-1' }, { providerID: 'gce://p/z/i' }, { providerID: 'aws:///a/x' }])(
    'cannot say anything of %j',
    async (ref) => {
      const cloud = ec2Instances(clientOf(inState('terminated')), 'eu-west-1')
      expect(await cloud.find(ref)).toBe('unknown')
    },
  )

  it.each(['aws:///us-east-1a/i-0abc', 'aws:///i-0abc'])(
    'does not take %s for gone where it may only be elsewhere',
    async (providerID) => {
      const cloud = ec2Instances(clientOf(named('InvalidInstanceID.NotFound')), 'eu-west-1')
      expect(await cloud.find({ providerID })).toBe('unknown')
    },
  )
})
