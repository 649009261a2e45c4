/** The cloud check asks EC2 whether a silent host's instance is gone. */
import { Grant } from 'aws-cdk-lib/aws-iam'
import type { MonitorGrant } from '../monitor-grant.ts'
import { acknowledgeNag } from '../nag.ts'

export const grantCloudCheck: MonitorGrant = (monitor, { lifecycle }) => {
  if (lifecycle['cloud-provider'] !== 'aws') return
  Grant.addToPrincipal({
    grantee: monitor,
    actions: ['ec2:DescribeInstances'],
    resourceArns: ['*'],
  })
  acknowledgeNag(monitor.role ?? monitor, {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'ec2:DescribeInstances knows no narrower resource.',
  })
}
