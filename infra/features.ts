/** What the features need in AWS, a line each. */
import { grantCloudCheck } from './features/cloud-check.ts'
import type { MonitorGrant } from './monitor-grant.ts'

export const monitorGrants: readonly MonitorGrant[] = [
  // Each can be deleted together with its folder.
  grantCloudCheck,
]
