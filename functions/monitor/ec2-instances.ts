/**
 * Asks EC2 about a machine by the provider id of its node (`aws:///eu-west-1a/i-0abc`). Only an
 * answer that names the instance as unknown or terminated means gone; every error means nothing.
 */
import { DescribeInstancesCommand, type EC2Client } from '@aws-sdk/client-ec2'
import type { CloudAnswer, CloudInstances } from '../../shared/lifecycle/cloud.ts'

const INSTANCE_ID = /^aws:\/\/\/(?:[^/]*\/)?(i-[0-9a-f]+)$/

export function ec2Instances(client: Pick<EC2Client, 'send'>): CloudInstances {
  return {
    async find(instance) {
      // A name is not unique in EC2, so without an id nobody can say.
      if (!('providerID' in instance)) return 'unknown'
      const id = INSTANCE_ID.exec(instance.providerID)?.[1]
      return id ? await describe(client, id) : 'unknown'
    },
  }
}

async function describe(client: Pick<EC2Client, 'send'>, id: string): Promise<CloudAnswer> {
  try {
    const answer = await client.send(new DescribeInstancesCommand({ InstanceIds: [id] }))
    const found = answer.Reservations?.flatMap(({ Instances }) => Instances ?? []) ?? []
    const instance = found.find(({ InstanceId }) => InstanceId === id)
    // An empty answer is not what EC2 gives for an unknown instance: take it for none.
    return instance ? stateOf(instance.State?.Name) : 'unknown'
  } catch (error) {
    if ((error as Error).name === 'InvalidInstanceID.NotFound') return 'gone'
    throw error
  }
}

function stateOf(name: string | undefined): CloudAnswer {
  if (name === 'terminated') return 'gone'
  if (name === 'stopped' || name === 'stopping') return 'shutdown'
  return name === 'running' || name === 'pending' ? 'running' : 'unknown'
}
