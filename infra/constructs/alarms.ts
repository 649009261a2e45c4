/**
 * When is someone told that the watcher itself is ill? One alarm per way of being ill, each with
 * the page of docs/operations.md in its text. Silence of a metric that must speak is an alarm, too.
 */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { METRIC_NAMESPACE, metricNames } from '../../shared/lifecycle/metric-names.ts'
import { objectsTable } from '../../shared/store/tables.ts'
import { accept } from '../accept.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { Api } from './api.ts'
import type { Monitor } from './monitor.ts'
import type { Notifier } from './notifier.ts'
import type { Tables } from './tables.ts'

export interface AlarmsProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly api: Api
  readonly monitor: Monitor
  readonly notifier: Notifier
}

interface Rule {
  readonly id: string
  /** What it means, in the words the pager shows. */
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
/** Fewer beats than this share of what is owed, and the fleet or the road to it is in trouble. */
const BEAT_SHARE_FLOOR = 0.7
const DETECTION_LAG_MS = 2_000

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
    this.admitAlarms(stage)
    if (alarmEmail) this.topic.addSubscription(new EmailSubscription(alarmEmail))
    accept(this.topic, {
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason: 'A letter to a person that bounces is of no use in a queue; the alarm stays red.',
    })
    this.alarms = rules(props).map((rule) => this.alarm(rule, stage))
  }

  /**
   * A topic that says how it may be spoken to loses the policy it was born with, which let every
   * alarm of the account speak. Without this they ring, and nobody hears.
   */
  private admitAlarms(stage: string): void {
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
  return [...monitorRules(props.settings.stage), ...serviceRules(props)]
}

function monitorRules(stage: string): Rule[] {
  const own = (metricName: string, statistic: string) =>
    new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      statistic,
      period: MINUTE,
      dimensionsMap: { Stage: stage },
    })
  const { BREACHING } = TreatMissingData
  return [
    {
      id: 'no-ticks',
      says: 'No tick was completed for three minutes: nobody is watching the fleet.',
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
      says: 'The observer doubts itself and judges nobody.',
      metric: own(metricNames.blind, 'Maximum'),
      over: 0,
      minutes: 2,
      silence: BREACHING,
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
      // One minute is enough: a whole fleet is marked in one, and most have nobody to mark.
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

function serviceRules({ tables, api, monitor, notifier }: AlarmsProps): Rule[] {
  const functions = { api, monitor, notifier }
  const errors = Object.entries(functions).map(([name, { service }]) => ({
    id: `${name}-errors`,
    says: `The ${name} function fails.`,
    metric: service.function.metricErrors({ period: MINUTE }),
    over: 0,
    minutes: 2,
  }))
  return [
    ...errors,
    {
      id: 'api-throttled',
      says: 'Lambda turns requests away: beats are being lost to a concurrency quota.',
      metric: api.service.function.metricThrottles({ period: MINUTE }),
      over: 0,
    },
    throttled('leases', tables.leases),
    throttled('objects', tables.objects),
    // An index that cannot follow holds up its table, and is counted under its own name alone.
    ...objectsTable.indexes.map(({ name }) => throttled(name, tables.objects, name)),
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

const throttled = (name: string, table: ITableV2, index?: string): Rule => ({
  id: `${name}-throttled`,
  says: `DynamoDB throttles ${name}: beats or marks are being slowed down.`,
  metric: table.metric('WriteThrottleEvents', {
    period: MINUTE,
    statistic: 'Sum',
    dimensionsMap: {
      TableName: table.tableName,
      ...(index && { GlobalSecondaryIndexName: index }),
    },
  }),
  over: 0,
  minutes: 2,
})
