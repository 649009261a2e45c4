/**
 * The alarms about the service itself, one per way to fail, each naming its section of
 * docs/operations.md. A metric that must always report is an alarm when it does not.
 */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { metricNames } from '../../shared/lifecycle/metrics/names.ts'
import { objectsTable } from '../../shared/store/tables.ts'
import { acknowledgeNag } from '../nag.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { ApiService } from './api.ts'
import type { MonitorService } from './monitor.ts'
import type { NotifierService } from './notifier.ts'
import type { ServiceFunction } from './service-function.ts'
import type { Tables } from './tables.ts'

interface AlarmsProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly api: ApiService
  readonly monitor: MonitorService
  readonly notifier: NotifierService
}

interface Rule {
  readonly id: string
  /** What it means, as the notification shows it. */
  readonly says: string
  readonly metric: IMetric
  readonly over?: number
  readonly under?: number
  /** Minutes in a row; default 1. */
  readonly minutes?: number
  /** What no data means; default: not breaching. */
  readonly silence?: TreatMissingData
}

const MINUTE = Duration.minutes(1)
/** With fewer beats than this share of the expected, the fleet or its network is in trouble. */
const BEAT_SHARE_FLOOR = 0.7
const DETECTION_LAG_MS = 2_000
/** A minute. Fewer are a deploy or a process that was replaced; hosts try again. */
const FEW_FAILURES = 5
/** Of the runs the api may have, or of the account's: what is left is for a burst. */
const CONCURRENCY_SHARE = 0.8

export class Alarms extends Construct {
  readonly topic: Topic
  readonly alarms: readonly Alarm[]

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id)
    const { stage, alarmEmail } = props.settings
    this.topic = new Topic(this, 'Topic', {
      topicName: `leasehold-${stage}-alarms`,
      enforceSSL: true,
    })
    this.allowAlarmsToPublish(stage)
    if (alarmEmail) this.topic.addSubscription(new EmailSubscription(alarmEmail))
    acknowledgeNag(this.topic, {
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason: 'A letter to a person that bounces is of no use in a queue; the alarm stays red.',
    })
    this.alarms = rules(props).map((rule) => this.alarm(rule, stage))
  }

  /**
   * `enforceSSL` replaces the topic's default policy, which lets every alarm of the account publish.
   * Without this statement alarms change state and no notification is sent.
   */
  private allowAlarmsToPublish(stage: string): void {
    const alarms = Stack.of(this).formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: `leasehold-${stage}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { ArnLike: { 'aws:SourceArn': alarms } },
      }),
    )
  }

  private alarm(rule: Rule, stage: string): Alarm {
    const alarm = new Alarm(this, rule.id, {
      alarmName: `leasehold-${stage}-${rule.id}`,
      alarmDescription: `${rule.says} What to do: docs/operations.md, alarm ${rule.id}.`,
      metric: rule.metric,
      threshold: rule.over ?? rule.under ?? 0,
      comparisonOperator:
        rule.over === undefined
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: rule.minutes ?? 1,
      treatMissingData: rule.silence ?? TreatMissingData.NOT_BREACHING,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
    return alarm
  }
}

function rules(props: AlarmsProps): Rule[] {
  return [...monitorRules(props.monitor), ...serviceRules(props)]
}

function monitorRules(monitor: MonitorService): Rule[] {
  const own = (metricName: string, statistic: string) =>
    monitor.metric(metricName, statistic, MINUTE)
  const { BREACHING } = TreatMissingData
  return [
    {
      id: 'no-ticks',
      says: 'No tick was completed for three minutes: the fleet is not monitored.',
      metric: own(metricNames.ticks, 'Sum'),
      under: 1,
      minutes: 3,
      silence: BREACHING,
    },
    {
      id: 'overruns',
      says: 'Ticks run out of time: detection is late.',
      metric: own(metricNames.overruns, 'Sum'),
      over: 0,
      minutes: 5,
    },
    {
      id: 'blind',
      says: 'The monitor doubts its own view and judges no node.',
      metric: own(metricNames.blind, 'Maximum'),
      over: 0,
      minutes: 2,
      silence: BREACHING,
    },
    {
      id: 'blind-refusals',
      says: 'For five minutes no node is judged only because the api refuses beats of some.',
      metric: own(metricNames.blindByRefusals, 'Minimum'),
      over: 0,
      minutes: 5,
    },
    {
      id: 'beats-fell',
      says: `Fewer than ${BEAT_SHARE_FLOOR * 100} % of the beats that are owed arrived.`,
      metric: own(metricNames.beatShare, 'Average'),
      under: BEAT_SHARE_FLOOR,
      minutes: 2,
      silence: BREACHING,
    },
    {
      id: 'detection-lag',
      says: 'Silent nodes are marked later than they should be.',
      metric: own(metricNames.detectionLagMs, 'p99'),
      // One minute is enough: a blackout is marked within one, and most minutes mark no node.
      over: DETECTION_LAG_MS,
    },
    {
      id: 'poisoned',
      says: 'Records could not be read and were left out of the judgement.',
      metric: own(metricNames.poisoned, 'Maximum'),
      over: 0,
    },
  ]
}

function serviceRules({ settings, tables, api, monitor, notifier }: AlarmsProps): Rule[] {
  return [
    ...apiRules('api', api.service, settings),
    ...(api.http ? apiRules('api-http', api.http.service, settings) : []),
    failing('api', api.service.function.metric('Url5xxCount', SUM)),
    ...(api.http ? [failing('api-http', api.http.api.metricServerError(SUM))] : []),
    errors('monitor', monitor.service),
    errors('notifier', notifier.service),
    ...throttled('leases', tables.leases),
    ...throttled('objects', tables.objects),
    // A throttled index throttles its table, and is counted under its own name only.
    ...objectsTable.indexes.flatMap(({ name }) => throttled(name, tables.objects, name)),
    {
      id: 'undelivered',
      says: 'Events could not be delivered and wait in the dead-letter queue.',
      metric: notifier.deadLetters.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
      over: 0,
    },
    {
      id: 'notifier-behind',
      says: 'The notifier is more than five minutes behind the changes.',
      metric: notifier.service.function.metric('IteratorAge', {
        period: MINUTE,
        statistic: 'Maximum',
      }),
      over: 5 * 60_000,
      minutes: 3,
    },
  ]
}

const SUM = { period: MINUTE, statistic: 'Sum' }

const errors = (name: string, { function: lambda }: ServiceFunction): Rule => ({
  id: `${name}-errors`,
  says: `The ${name} function fails.`,
  metric: lambda.metricErrors({ period: MINUTE }),
  over: 0,
  minutes: 2,
})

const failing = (name: string, metric: IMetric): Rule => ({
  id: `${name}-5xx`,
  says: 'The api answers with failures of its own (5xx): beats are being refused.',
  metric,
  over: FEW_FAILURES,
  minutes: 2,
})

function apiRules(name: string, service: ServiceFunction, settings: DeploymentSettings): Rule[] {
  const { concurrency, concurrencyQuota } = settings
  const runs = concurrency.api || concurrencyQuota
  return [
    errors(name, service),
    {
      id: `${name}-throttled`,
      says: 'Lambda turns requests away: beats are being lost to a concurrency quota.',
      metric: service.function.metricThrottles({ period: MINUTE }),
      over: 0,
    },
    {
      id: `${name}-concurrency`,
      says: `More than ${CONCURRENCY_SHARE * 100} % of the ${runs} runs that are allowed are busy.`,
      metric: service.function.metric('ConcurrentExecutions', {
        period: MINUTE,
        statistic: 'Maximum',
      }),
      over: Math.floor(runs * CONCURRENCY_SHARE),
      minutes: 2,
    },
  ]
}

/** Writes and reads have a metric each; both slow down beats, marks or the monitor's look. */
function throttled(name: string, table: ITableV2, index?: string): Rule[] {
  const rule = (id: string, what: string, metricName: string): Rule => ({
    id,
    says: `DynamoDB throttles ${what} ${name}: beats or marks are being slowed down.`,
    metric: table.metric(metricName, {
      ...SUM,
      dimensionsMap: {
        TableName: table.tableName,
        ...(index && { GlobalSecondaryIndexName: index }),
      },
    }),
    over: 0,
    minutes: 2,
  })
  return [
    rule(`${name}-throttled`, 'writes to', 'WriteThrottleEvents'),
    rule(`${name}-reads-throttled`, 'reads of', 'ReadThrottleEvents'),
  ]
}
