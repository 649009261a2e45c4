import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../../infra/leasehold-app.ts'
import { readDeploymentSettings } from '../../../infra/settings.ts'

const place = { account: '123456789012', region: 'eu-central-1' }
const flags = { '@aws-cdk/core:defaultCrossStackReferences': 'strong' }

function asksEc2(context: Record<string, unknown>): boolean {
  const { service } = buildApp(new App({ context: flags }), readDeploymentSettings(context), place)
  return JSON.stringify(Template.fromStack(service).toJSON()).includes('ec2:DescribeInstances')
}

describe('options', () => {
  let asks: readonly boolean[]
  beforeAll(() => {
    asks = [{}, { 'lifecycle.cloud-provider': 'aws' }].map(asksEc2)
  })

  it('ask EC2 only where the cloud check is on', () => {
    expect(asks).toEqual([false, true])
  })
})
