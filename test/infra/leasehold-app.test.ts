/**
 * What would be deployed? Read from the synthesized templates, as CloudFormation will read them.
 */
import { readFileSync } from 'node:fs'
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { counted } from '../../infra/cost/bill.ts'
import { buildApp } from '../../infra/leasehold-app.ts'
import { API_MEMORY_MB, monitorMemoryMb, NOTIFIER_MEMORY_MB } from '../../infra/memory.ts'
import { readDeploymentSettings } from '../../infra/settings.ts'
import { metricNames } from '../../shared/lifecycle/metrics/names.ts'
import { streamFilters } from '../../shared/store/stream-filter.ts'
import { objectsTable } from '../../shared/store/tables.ts'

const place = { account: '123456789012', region: 'eu-central-1' }
const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8'))

function synthesize(context: Record<string, unknown> = {}) {
  const settings = readDeploymentSettings(context)
  const stacks = buildApp(new App({ context: flags }), settings, place)
  return {
    data: Template.fromStack(stacks.data),
    api: Template.fromStack(stacks.api),
    service: Template.fromStack(stacks.service),
    isProtected: [stacks.data, stacks.api, stacks.service].map(
      ({ terminationProtection }) => terminationProtection ?? false,
    ),
  }
}

type Resource = ReturnType<Template['findResources']>[string]

const functionsIn = (...templates: Template[]): readonly Resource[] =>
  templates.flatMap((each) => Object.values(each.findResources('AWS::Lambda::Function')))

const tableArn = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`

let data: Template
let api: Template
let service: Template
let isProtected: readonly boolean[]
beforeAll(() => {
  ;({ data, api, service, isProtected } = synthesize())
})

describe('the address', () => {
  it('lives in a stack that cannot be deleted by mistake, as tables and keys do', () => {
    expect(isProtected).toEqual([true, true, false])
    api.resourceCountIs('AWS::Lambda::Url', 1)
    service.resourceCountIs('AWS::Lambda::Url', 0)
    api.hasOutput('ApiUrl', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'FunctionUrl'] } })
  })

  it('is not taken from hosts by another ingress, which comes beside it', () => {
    const { api: other } = synthesize({ ingress: 'http-api' })
    expect(other.findResources('AWS::Lambda::Url')).toEqual(api.findResources('AWS::Lambda::Url'))
    const urlFunction = (template: Template) =>
      functionsIn(template).find(({ Properties }) => Properties.FunctionName.endsWith('-api'))
    const { Code: _ofOne, ...one } = urlFunction(api)?.Properties ?? {}
    const { Code: _ofOther, ...same } = urlFunction(other)?.Properties ?? {}
    expect(same).toEqual(one)
  })

  it('of an HTTP API cannot go by mistake: CloudFormation keeps what another stack imports', () => {
    const { api: other, service: user } = synthesize({ ingress: 'http-api' })
    const names = Object.values(other.findOutputs('*')).flatMap(({ Export }) => Export?.Name ?? [])
    const endpoint = names.find((name) => name.includes('HttpApi') && name.includes('ApiEndpoint'))
    expect(endpoint).toBeDefined()
    expect(JSON.stringify(user.toJSON())).toContain(endpoint)
  })

  it('may have a name of its own', () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/1'
    const domainName = 'nodes.example.org'
    const { api: named } = synthesize({ ingress: 'http-api', domainName, certificateArn })
    named.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: domainName })
    named.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1)
    named.hasOutput('ApiUrl', { Value: `https://${domainName}` })
    named.hasOutput('DomainTarget', {})
  })
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
    const functions = functionsIn(api, service)
    expect(functions.map(({ Properties }) => Properties.FunctionName).sort()).toEqual([
      'leasehold-prod-api',
      'leasehold-prod-monitor',
      'leasehold-prod-notifier',
    ])
    for (const { Properties } of functions) {
      expect(Properties.Runtime).toBe('nodejs24.x')
      expect(Properties.Architectures).toEqual(['arm64'])
    }
    const groups = [api, service].flatMap((each) =>
      Object.values(each.findResources('AWS::Logs::LogGroup')),
    )
    expect(groups.map(({ Properties }) => Properties.RetentionInDays)).toEqual([30, 30, 30])
  })

  it('each has the memory, and with it the share of a core, that its bench was run with', () => {
    const sizes = functionsIn(api, service).map(({ Properties }) => [
      Properties.FunctionName,
      Properties.MemorySize,
    ])
    expect(Object.fromEntries(sizes)).toEqual({
      'leasehold-prod-api': API_MEMORY_MB,
      'leasehold-prod-monitor': monitorMemoryMb(1_000),
      'leasehold-prod-notifier': NOTIFIER_MEMORY_MB,
    })
  })

  it('the api streams behind a Function URL and does its own authentication', () => {
    api.hasResourceProperties('AWS::Lambda::Url', {
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

  it('each may have so many runs at once that the others, and the account, keep some', () => {
    const reserved = functionsIn(api, service).map(({ Properties }) => [
      Properties.FunctionName,
      Properties.ReservedConcurrentExecutions,
    ])
    expect(Object.fromEntries(reserved)).toEqual({
      'leasehold-prod-api': 160,
      'leasehold-prod-monitor': 3,
      'leasehold-prod-notifier': 16,
    })
  })

  it('deploy where the quota leaves none to set aside', () => {
    const few = synthesize({ concurrencyQuota: 10 })
    for (const { Properties } of functionsIn(few.api, few.service))
      expect(Properties.ReservedConcurrentExecutions).toBeUndefined()
  })

  it('the notifier sees only what it needs to tell', () => {
    const text = JSON.stringify(service.findResources('AWS::Lambda::EventSourceMapping'))
    expect(text).not.toContain('userIdentity')
    service.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      ParallelizationFactor: 4,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: {
        Filters: streamFilters.map((pattern) => ({ Pattern: JSON.stringify(pattern) })),
      },
    })
  })

  it('what it never finishes goes whole to a bucket, before the stream forgets it', () => {
    const [mapping] = Object.values(service.findResources('AWS::Lambda::EventSourceMapping'))
    const { MaximumRecordAgeInSeconds, MaximumRetryAttempts, DestinationConfig } =
      mapping?.Properties ?? {}
    expect(MaximumRecordAgeInSeconds).toBe(6 * 3600)
    expect(MaximumRetryAttempts).toBeUndefined()
    expect(JSON.stringify(DestinationConfig)).toContain('UndeliveredRecordsBucket')
    data.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Retain' })
  })
})

describe('permissions', () => {
  /** Everything that may not be narrower, with the reason. */
  const wildcards = [
    { role: 'MonitorStarter', resource: ':*', why: 'versions of one function, added by the CDK' },
    { role: 'Notifier', resource: '/aws/lambda/*', why: 'Lambda names what it puts there' },
  ]

  const policiesIn = (...templates: Template[]) =>
    templates.flatMap((each) => Object.entries(each.findResources('AWS::IAM::Policy')))

  it('name exact actions on exact resources', () => {
    const policies = policiesIn(api, service)
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
    const signing = policiesIn(api, service).flatMap(([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter((statement: { Action: string | string[] }) =>
        [statement.Action].flat().includes('kms:Sign'),
      ).map((statement: { Resource: unknown }) => [id, JSON.stringify(statement.Resource)]),
    )
    expect(signing.map(([id]) => id.slice(0, 3)).sort()).toEqual(['Api', 'Mon'])
    for (const [, resource] of signing) expect(resource).toContain('KeysNode')
  })

  it('use no managed policy', () => {
    for (const { Properties } of [api, service].flatMap((each) =>
      Object.values(each.findResources('AWS::IAM::Role')),
    ))
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
      'leasehold-prod-blind-refusals': 'notBreaching',
      'leasehold-prod-beats-fell': 'breaching',
      'leasehold-prod-detection-lag': 'notBreaching',
      'leasehold-prod-poisoned': 'notBreaching',
      'leasehold-prod-api-errors': 'notBreaching',
      'leasehold-prod-monitor-errors': 'notBreaching',
      'leasehold-prod-notifier-errors': 'notBreaching',
      'leasehold-prod-api-throttled': 'notBreaching',
      'leasehold-prod-api-concurrency': 'notBreaching',
      'leasehold-prod-api-5xx': 'notBreaching',
      'leasehold-prod-leases-throttled': 'notBreaching',
      'leasehold-prod-leases-reads-throttled': 'notBreaching',
      'leasehold-prod-objects-reads-throttled': 'notBreaching',
      'leasehold-prod-changes-reads-throttled': 'notBreaching',
      'leasehold-prod-pods-by-node-reads-throttled': 'notBreaching',
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
      warmThroughput: 'true',
      apiConcurrency: 200,
      monitorConcurrency: 0,
      notifierConcurrency: 8,
      nodeKeyGeneration: 3,
      restoredTables: 'restored',
      restoredStream: `${tableArn('restored-objects')}/stream/2026-11-16T00:00:00.000`,
    })
  })

  it('put an HTTP API beside the Function URL, with a function that buffers', () => {
    other.api.resourceCountIs('AWS::Lambda::Url', 1)
    other.api.resourceCountIs('AWS::ApiGatewayV2::Api', 1)
    other.api.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'leasehold-dev-api-http',
      Timeout: 29,
      Environment: { Variables: Match.objectLike({ LEASEHOLD_INGRESS: 'http-api' }) },
    })
    for (const alarm of ['errors', 'throttled', 'concurrency', '5xx'])
      other.service.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmName: `leasehold-dev-api-http-${alarm}`,
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

  it('leave Objects on demand, which has to take a whole outage at once', () => {
    const modes = Object.values(other.data.findResources('AWS::DynamoDB::GlobalTable')).map(
      ({ Properties }) => Properties.BillingMode,
    )
    expect(modes).toEqual(['PROVISIONED', 'PAY_PER_REQUEST'])
  })

  it('warm the indexes with their table, which would wait for them', () => {
    const [, objects] = Object.values(other.data.findResources('AWS::DynamoDB::GlobalTable'))
    const { WarmThroughput, GlobalSecondaryIndexes } = objects?.Properties ?? {}
    expect(WarmThroughput).toEqual({ ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000 })
    for (const index of GlobalSecondaryIndexes) expect(index.WarmThroughput).toEqual(WarmThroughput)
  })

  it('set as many runs aside as they are told to', () => {
    const reserved = functionsIn(other.api, other.service).map(({ Properties }) => [
      Properties.FunctionName,
      Properties.ReservedConcurrentExecutions,
    ])
    expect(Object.fromEntries(reserved)).toEqual({
      'leasehold-dev-api': 200,
      'leasehold-dev-api-http': 200,
      'leasehold-dev-monitor': undefined,
      'leasehold-dev-notifier': 8,
    })
  })

  it('put restored tables in the place of the own, which stay', () => {
    const text = JSON.stringify([other.service.toJSON(), other.api.toJSON()])
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
    const [first] = functionsIn(other.api)
    const { LEASEHOLD_NODE_KEY_ID: ids } = first?.Properties.Environment.Variables ?? {}
    const named = JSON.stringify(ids).match(/KeysNode\d?(?=[0-9A-F]{8})/g)
    expect(named).toEqual(['KeysNode3', 'KeysNode2'])
    const keysWith = (action: string) =>
      Object.entries(other.api.findResources('AWS::IAM::Policy'))
        .filter(([id]) => id.startsWith('ApiService'))
        .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
        .filter(({ Action }) => [Action].flat().includes(action))
        .flatMap(({ Resource }) => [Resource].flat())
        .map((arn) => JSON.stringify(arn).match(/Keys\w+?\d?(?=[0-9A-F]{8})/)?.[0])
    expect(keysWith('kms:Sign')).toEqual(['KeysNode3'])
    expect(keysWith('kms:GetPublicKey').toSorted()).toEqual(['KeysAdmin', 'KeysNode2', 'KeysNode3'])
  })

  it('hand the judgement its flags through the environment', () => {
    other.service.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'leasehold-dev-monitor',
      Environment: { Variables: Match.objectLike({ NODE_MONITOR_GRACE_PERIOD: '40s' }) },
    })
  })
})
