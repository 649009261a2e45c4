/**
 * Asks EC2 about a machine by the provider id of its node (`aws:///eu-west-1a/i-0abc`). Only an
 * answer that names the instance as unknown or terminated means gone; every error means nothing.
 * EC2 knows one region: to it, a machine of another is as unknown as one that never was.
 */
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2'
import type { CloudAnswer, CloudInstances } from '../../../../shared/lifecycle/cloud/cloud.ts'

const INSTANCE = /^aws:\/\/\/(?:([^/]*)\/)?(i-[0-9a-f]+)$/
/** A tick waits for the answer. */
const CALL_MS = 3_000

export function lambdaInstances({ AWS_REGION: region }: NodeJS.ProcessEnv): CloudInstances {
  if (!region) throw new Error("the function's environment lacks AWS_REGION")
  return ec2Instances(new EC2Client({ region }), region)
}

/** `region` is the client's. */
export function ec2Instances(client: Pick<EC2Client, 'send'>, region: string): CloudInstances {
  return {
    async find(instance) {
      // A name is not unique in EC2, so without an id there is no answer.
      if (!('providerID' in instance)) return 'unknown'
      const [, zone = '', id] = INSTANCE.exec(instance.providerID) ?? []
      return id && zone.startsWith(region) ? await describe(client, id) : 'unknown'
    },
  }
}

async function describe(client: Pick<EC2Client, 'send'>, id: string): Promise<CloudAnswer> {
  try {
    const command = new DescribeInstancesCommand({ InstanceIds: [id] })
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_MS) })
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
