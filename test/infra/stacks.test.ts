/**
 * What would be deployed? Read from the synthesized templates, as CloudFormation will read them.
 */
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { counted } from '../../infra/cost/bill.ts'
import { buildApp } from '../../infra/leasehold-app.ts'
import { metricNames } from '../../shared/lifecycle/metric-names.ts'
import { streamFilters } from '../../shared/store/stream-filter.ts'
import { objectsTable } from '../../shared/store/tables.ts'

const place = { account: '123456789012', region: 'eu-central-1' }
const flags = { '@aws-cdk/core:defaultCrossStackReferences': 'strong' }

function synthesize(context: Record<string, unknown> = {}) {
  const { data, service } = buildApp(new App({ context: flags }), context, place)
  return { data: Template.fromStack(data), service: Template.fromStack(service) }
}

const tableArn = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`

let data: Template
let service: Template
beforeAll(() => {
  ;({ data, service } = synthesize())
})

describe('tables', () => {
  it('are recoverable, protected, encrypted and outlive the stack', () => {
    const tables = Object.values(data.findResources('AWS::DynamoDB::GlobalTable'))
    expect(tables).toHaveLength(2)
    for (const { Properties, DeletionPolicy } of tables) {
      const [replica] = Properties.Replicas
      expect(replica.DeletionProtectionEnabled).toBe(true)
      expect(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true)
      expect(DeletionPolicy).toBe('Retain')
      expect(replica.ResourcePolicy).toBeUndefined()
    }
  })

  it('the hot one has neither index nor stream, the other both', () => {
    const shapes = Object.values(data.findResources('AWS::DynamoDB::GlobalTable')).map(
      ({ Properties }) => ({
        name: Properties.TableName,
        indexes: Properties.GlobalSecondaryIndexes?.length ?? 0,
        streams: Properties.StreamSpecification?.StreamViewType,
        mode: Properties.BillingMode,
      }),
    )
    expect(shapes).toEqual([
      { name: 'leasehold-prod-leases', indexes: 0, streams: undefined, mode: 'PAY_PER_REQUEST' },
      {
        name: 'leasehold-prod-objects',
        indexes: 2,
        streams: 'NEW_AND_OLD_IMAGES',
        mode: 'PAY_PER_REQUEST',
      },
    ])
  })
})

describe('functions', () => {
  it('run Node 24 on arm64, each with a log group that ends', () => {
    const functions = Object.values(service.findResources('AWS::Lambda::Function'))
    expect(functions.map(({ Properties }) => Properties.FunctionName).sort()).toEqual([
      'leasehold-prod-api',
      'leasehold-prod-monitor',
      'leasehold-prod-notifier',
    ])
    for (const { Properties } of functions) {
      expect(Properties.Runtime).toBe('nodejs24.x')
      expect(Properties.Architectures).toEqual(['arm64'])
    }
    const groups = Object.values(service.findResources('AWS::Logs::LogGroup'))
    expect(groups.map(({ Properties }) => Properties.RetentionInDays)).toEqual([30, 30, 30])
  })

  it('the api streams behind a Function URL and does its own authentication', () => {
    service.hasResourceProperties('AWS::Lambda::Url', {
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
    })
  })

  it('the monitor starts once a minute, never from the past, at most three at once', () => {
    service.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 } },
    })
    service.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
    })
    service.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'leasehold-prod-monitor',
      ReservedConcurrentExecutions: 3,
      Timeout: 900,
    })
  })

  it('the notifier sees only what it needs to tell, and no record is given up on', () => {
    service.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: {
        Filters: streamFilters.map((pattern) => ({ Pattern: JSON.stringify(pattern) })),
      },
    })
  })
})

describe('permissions', () => {
  /** Everything that may not be narrower, with the reason. */
  const wildcards = [
    { role: 'MonitorStarter', resource: ':*', why: 'versions of one function, added by the CDK' },
  ]

  it('name exact actions on exact resources', () => {
    const policies = Object.entries(service.findResources('AWS::IAM::Policy'))
    expect(policies.length).toBeGreaterThanOrEqual(4)
    for (const [id, { Properties }] of policies)
      for (const { Action, Resource } of Properties.PolicyDocument.Statement) {
        expect(JSON.stringify(Action)).not.toContain('*')
        const text = JSON.stringify(Resource)
        const known = wildcards.some(
          ({ role, resource }) => id.startsWith(role) && text.includes(resource),
        )
        expect(known || !text.includes('*'), `${id}: ${text}`).toBe(true)
      }
  })

  it('let only the api and the monitor sign, with the node key only', () => {
    const signing = Object.entries(service.findResources('AWS::IAM::Policy')).flatMap(
      ([id, { Properties }]) =>
        Properties.PolicyDocument.Statement.filter((statement: { Action: string | string[] }) =>
          [statement.Action].flat().includes('kms:Sign'),
        ).map((statement: { Resource: unknown }) => [id, JSON.stringify(statement.Resource)]),
    )
    expect(signing.map(([id]) => id.slice(0, 3)).sort()).toEqual(['Api', 'Mon'])
    for (const [, resource] of signing) expect(resource).toContain('KeysNode')
  })

  it('use no managed policy', () => {
    for (const { Properties } of Object.values(service.findResources('AWS::IAM::Role')))
      expect(Properties.ManagedPolicyArns).toBeUndefined()
  })
})

describe('alarms', () => {
  it('ring for every way of being ill, and for silence where silence is illness', () => {
    const alarms = Object.values(service.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => [Properties.AlarmName, Properties.TreatMissingData],
    )
    expect(Object.fromEntries(alarms)).toEqual({
      'leasehold-prod-no-ticks': 'breaching',
      'leasehold-prod-overruns': 'notBreaching',
      'leasehold-prod-blind': 'breaching',
      'leasehold-prod-beats-fell': 'breaching',
      'leasehold-prod-detection-lag': 'notBreaching',
      'leasehold-prod-poisoned': 'notBreaching',
      'leasehold-prod-api-errors': 'notBreaching',
      'leasehold-prod-monitor-errors': 'notBreaching',
      'leasehold-prod-notifier-errors': 'notBreaching',
      'leasehold-prod-api-throttled': 'notBreaching',
      'leasehold-prod-leases-throttled': 'notBreaching',
      'leasehold-prod-objects-throttled': 'notBreaching',
      'leasehold-prod-changes-throttled': 'notBreaching',
      'leasehold-prod-pods-by-node-throttled': 'notBreaching',
      'leasehold-prod-undelivered': 'notBreaching',
      'leasehold-prod-notifier-behind': 'notBreaching',
    })
  })

  it('watch each index by its own name, under which alone its throttling is counted', () => {
    const of = (name: string) => ({
      AlarmName: `leasehold-prod-${name}-throttled`,
      Dimensions: Match.arrayWith([{ Name: 'GlobalSecondaryIndexName', Value: name }]),
    })
    for (const { name } of objectsTable.indexes)
      service.hasResourceProperties('AWS::CloudWatch::Alarm', of(name))
  })

  it('ring for one minute of late marks: a blackout has no more', () => {
    service.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'leasehold-prod-detection-lag',
      EvaluationPeriods: 1,
    })
  })

  it('are counted in the bill', () => {
    expect(counted.alarms).toBe(Object.keys(service.findResources('AWS::CloudWatch::Alarm')).length)
    expect(counted.metrics).toBe(Object.keys(metricNames).length)
  })

  it('all tell the topic', () => {
    for (const { Properties } of Object.values(service.findResources('AWS::CloudWatch::Alarm')))
      expect(Properties.AlarmActions).toHaveLength(1)
    service.resourceCountIs('AWS::SNS::Subscription', 0)
  })

  it('may speak to the topic, whose own policy replaces the one that let them', () => {
    service.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { ArnLike: { 'aws:SourceArn': Match.anyValue() } },
          }),
        ]),
      },
    })
    const policy = JSON.stringify(service.findResources('AWS::SNS::TopicPolicy'))
    expect(policy).toContain(':cloudwatch:eu-central-1:123456789012:alarm:leasehold-prod-*')
  })
})

describe('options', () => {
  let other: ReturnType<typeof synthesize>
  beforeAll(() => {
    other = synthesize({
      stage: 'dev',
      ingress: 'http-api',
      billing: 'provisioned',
      fleetSize: 5000,
      archiveDays: 7,
      alarmEmail: 'night@example.org',
      'lifecycle.node-monitor-grace-period': '40s',
      'lifecycle.cloud-provider': 'aws',
      warmThroughput: 'true',
      monitorConcurrency: 0,
      apiConcurrency: 200,
      nodeKeyGeneration: 3,
      restoredTables: 'restored',
      restoredStream: `${tableArn('restored-objects')}/stream/2026-11-16T00:00:00.000`,
    })
  })

  it('put an HTTP API in front instead of a Function URL', () => {
    other.service.resourceCountIs('AWS::Lambda::Url', 0)
    other.service.resourceCountIs('AWS::ApiGatewayV2::Api', 1)
    other.service.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'leasehold-dev-api',
      Timeout: 29,
      Environment: { Variables: Match.objectLike({ LEASEHOLD_INGRESS: 'http-api' }) },
    })
  })

  it('keep events for a replay', () => {
    other.service.hasResourceProperties('AWS::Events::Archive', { RetentionDays: 7 })
    service.resourceCountIs('AWS::Events::Archive', 0)
  })

  it('subscribe somebody to the alarms', () => {
    other.service.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'night@example.org' })
  })

  it('plan capacity by fleet size', () => {
    const [leases] = Object.values(other.data.findResources('AWS::DynamoDB::GlobalTable'))
    const { WriteCapacityAutoScalingSettings: writes } =
      leases?.Properties.WriteProvisionedThroughputSettings ?? {}
    expect(writes).toMatchObject({ SeedCapacity: 500, MaxCapacity: 1000 })
  })

  it('warm the indexes with their table, which would wait for them', () => {
    const [, objects] = Object.values(other.data.findResources('AWS::DynamoDB::GlobalTable'))
    const { WarmThroughput, GlobalSecondaryIndexes } = objects?.Properties ?? {}
    expect(WarmThroughput).toEqual({ ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000 })
    for (const index of GlobalSecondaryIndexes) expect(index.WarmThroughput).toEqual(WarmThroughput)
  })

  it('set runs aside for the api, and none for the monitor where the account has none', () => {
    const reserved = (name: string) =>
      Object.values(other.service.findResources('AWS::Lambda::Function')).find(
        ({ Properties }) => Properties.FunctionName === `leasehold-dev-${name}`,
      )?.Properties.ReservedConcurrentExecutions
    expect([reserved('api'), reserved('monitor')]).toEqual([200, undefined])
  })

  it('put restored tables in the place of the own, which stay', () => {
    const text = JSON.stringify(other.service.toJSON())
    expect(text).not.toContain('ExportsOutputFnGetAttTables')
    expect(text).toContain('table/restored-objects/index/changes')
    other.service.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: `${tableArn('restored-objects')}/stream/2026-11-16T00:00:00.000`,
    })
    other.service.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LEASEHOLD_TABLE_PREFIX: 'restored' }) },
    })
    other.service.hasOutput('LeasesTable', { Value: 'restored-leases' })
    other.data.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      TableName: 'leasehold-dev-leases',
    })
  })

  it('sign with the newest key and believe the one before', () => {
    const [api] = Object.values(other.service.findResources('AWS::Lambda::Function'))
    const { LEASEHOLD_NODE_KEY_ID: ids } = api?.Properties.Environment.Variables ?? {}
    const named = JSON.stringify(ids).match(/KeysNode\d?(?=[0-9A-F]{8})/g)
    expect(named).toEqual(['KeysNode3', 'KeysNode2'])
    const keysWith = (action: string) =>
      Object.entries(other.service.findResources('AWS::IAM::Policy'))
        .filter(([id]) => id.startsWith('Api'))
        .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
        .filter(({ Action }) => [Action].flat().includes(action))
        .map(({ Resource }) => JSON.stringify(Resource).match(/Keys\w+?\d?(?=[0-9A-F]{8})/)?.[0])
    expect(keysWith('kms:Sign')).toEqual(['KeysNode3'])
    expect(keysWith('kms:GetPublicKey')).toEqual(['KeysNode3', 'KeysNode2', 'KeysAdmin'])
  })

  it('hand the judgement its flags through the environment', () => {
    other.service.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'leasehold-dev-monitor',
      Environment: { Variables: Match.objectLike({ NODE_MONITOR_GRACE_PERIOD: '40s' }) },
    })
  })

  it('ask EC2 only where the cloud check is on', () => {
    const asks = (template: Template) =>
      JSON.stringify(template.toJSON()).includes('ec2:DescribeInstances')
    expect(asks(service)).toBe(false)
    expect(asks(other.service)).toBe(true)
  })
})
