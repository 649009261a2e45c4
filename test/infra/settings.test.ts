import { describe, expect, it } from 'vitest'
import { readDeploymentSettings } from '../../infra/settings.ts'

describe('readDeploymentSettings', () => {
  it('has a default for everything', () => {
    expect(readDeploymentSettings({})).toEqual({
      stage: 'prod',
      ingress: 'function-url',
      domainName: '',
      certificateArn: '',
      billing: 'on-demand',
      fleetSize: 1000,
      beatSeconds: 10,
      warmThroughput: false,
      restoredTables: '',
      restoredStream: '',
      archiveDays: 0,
      logRetentionDays: 30,
      alarmEmail: '',
      maxWatches: 50,
      concurrencyQuota: 1000,
      concurrency: { api: 160, monitor: 3, notifier: 16 },
      nodeKeyGeneration: 1,
      adminKeyGeneration: 1,
      believePreviousKeys: true,
      lifecycle: {},
    })
  })

  it("takes kube-controller-manager's flags behind a prefix", () => {
    const context = { 'lifecycle.node-monitor-grace-period': '40s' }
    expect(readDeploymentSettings(context).lifecycle).toEqual({
      'node-monitor-grace-period': '40s',
    })
  })

  it("leaves the CDK's own context alone", () => {
    const own = { '@aws-cdk/core:x': true, 'aws:cdk:bundling-stacks': ['**'] }
    expect(readDeploymentSettings(own)).toEqual(readDeploymentSettings({}))
  })

  it.each([
    { when: 'an option is misspelt', context: { fleetsize: '5' }, says: '-c fleetsize: no such' },
    { when: 'the ingress is unknown', context: { ingress: 'alb' }, says: 'function-url, http-api' },
    { when: 'a number is none', context: { fleetSize: 'many' }, says: 'from 1 to 200000' },
    { when: 'a number is out of range', context: { archiveDays: 9999 }, says: 'from 0 to 3650' },
    { when: 'the stage cannot be a name', context: { stage: 'Prod!' }, says: '-c stage=Prod!' },
    { when: 'CloudWatch has no such retention', context: { logRetentionDays: 2 }, says: '1, 3, 5' },
    {
      when: 'a stream is missing',
      context: { restoredTables: 'it-2' },
      says: 'restoredStream=ARN',
    },
    {
      when: 'a domain has no certificate',
      context: { domainName: 'a.io' },
      says: 'certificateArn',
    },
    {
      when: 'a domain is asked of the Function URL',
      context: { domainName: 'a.io', certificateArn: 'arn:aws:acm:x:1:certificate/1' },
      says: 'needs -c ingress=http-api',
    },
    { when: 'the address is none', context: { alarmEmail: 'me' }, says: '-c alarmEmail=me' },
    {
      when: 'a lifecycle flag is misspelt',
      context: { 'lifecycle.node-monitor-gracious-period': '40s' },
      says: 'node-monitor-gracious-period',
    },
    {
      when: 'lifecycle flags contradict each other',
      context: { 'lifecycle.node-monitor-grace-period': '2s' },
      says: 'node-monitor-grace-period',
    },
  ])('says what to do when $when', ({ context, says }) => {
    expect(() => readDeploymentSettings(context)).toThrow(says)
  })
})
