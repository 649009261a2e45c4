/** What a month costs: one line per component; the sum is the bill. */
import { API_MEMORY_MB, monitorMemoryMb, NOTIFIER_MEMORY_MB } from '../memory.ts'
import { alwaysFree, prices } from './prices.ts'
import { type FleetPlan, MONTH_SECONDS, type MonthlyUsage, measured, usageOf } from './usage.ts'

export interface Choice {
  readonly billing: 'on-demand' | 'provisioned'
  readonly ingress: 'function-url' | 'http-api'
  /** Whether the monitor ticks all the time or only once a minute. */
  readonly monitor: 'continuous' | 'once-a-minute'
}

interface Line {
  readonly component: string
  readonly dollars: number
}

const API_GB = API_MEMORY_MB / 1024
const NOTIFIER_GB = NOTIFIER_MEMORY_MB / 1024
/** As in the stacks; a test compares. */
export const counted = { alarms: 23, metrics: 10, keys: 2 } as const
const PROVISIONED_UTILISATION = 0.7
/** A once-a-minute monitor runs about this long. */
const SHORT_RUN_SECONDS = 2

export function bill(plan: FleetPlan, choice: Choice): readonly Line[] {
  const usage = usageOf(plan)
  return [
    { component: 'DynamoDB writes', dollars: writes(usage, choice) },
    { component: 'DynamoDB reads', dollars: reads(plan, usage, choice) },
    { component: 'DynamoDB storage and backup', dollars: storage(plan) },
    { component: 'Lambda requests', dollars: lambdaRequests(usage) },
    { component: 'Lambda time, api', dollars: apiTime(usage) },
    { component: 'Lambda time, monitor', dollars: monitorTime(plan, choice) },
    { component: 'Lambda time, notifier', dollars: notifierTime(usage) },
    { component: 'HTTP API', dollars: choice.ingress === 'http-api' ? httpApi(usage) : 0 },
    { component: 'EventBridge and Scheduler', dollars: events(usage) },
    { component: 'KMS', dollars: counted.keys * prices.kms.keyMonth + signatures(plan) },
    { component: 'CloudWatch', dollars: cloudWatch() },
  ]
}

export const billTotal = (lines: readonly Line[]) =>
  lines.reduce((sum, line) => sum + line.dollars, 0)

function writes(usage: MonthlyUsage, choice: Choice): number {
  const units =
    usage.beats * measured.beatWriteUnits +
    usage.statuses * measured.statusWriteUnits +
    usage.ticks * measured.tickWriteUnits +
    usage.transitions * measured.transitionWriteUnits
  return unitPrice(units, choice, {
    unit: prices.dynamodb.onDemandWriteUnit,
    hour: prices.dynamodb.provisionedWriteUnitHour,
  })
}

function reads(plan: FleetPlan, usage: MonthlyUsage, choice: Choice): number {
  const perTick = measured.tickReadUnits + plan.nodes * measured.scanReadUnitsPerLease
  const ticks = choice.monitor === 'continuous' ? usage.ticks : MONTH_SECONDS / 60
  const units = ticks * perTick + usage.statuses * measured.statusReadUnits
  return unitPrice(units, choice, {
    unit: prices.dynamodb.onDemandReadUnit,
    hour: prices.dynamodb.provisionedReadUnitHour,
  })
}

/** On demand one unit has a price; provisioned, an hour of one unit per second has. */
function unitPrice(units: number, choice: Choice, price: { unit: number; hour: number }): number {
  if (choice.billing === 'on-demand') return units * price.unit
  const perSecond = units / MONTH_SECONDS / PROVISIONED_UTILISATION
  return (perSecond * MONTH_SECONDS * price.hour) / 3600
}

function storage(plan: FleetPlan): number {
  const gb = (plan.nodes * measured.bytesPerNode) / 1e9
  return gb * (prices.dynamodb.storageGbMonth + prices.dynamodb.backupGbMonth)
}

function apiTime(usage: MonthlyUsage): number {
  const ms = usage.beats * measured.beatMs + usage.statuses * measured.statusMs
  return (ms / 1000) * API_GB * prices.lambda.gbSecondArm
}

/** What does not come through the ingress: the notifier's runs and the monitor's. */
const lambdaRequests = (usage: MonthlyUsage) =>
  (usage.requests + usage.notifierRuns + MONTH_SECONDS / 60) * prices.lambda.request

const notifierTime = (usage: MonthlyUsage) =>
  ((usage.notifierRuns * measured.notifierMs) / 1000) * NOTIFIER_GB * prices.lambda.gbSecondArm

function monitorTime(plan: FleetPlan, choice: Choice): number {
  const gb = monitorMemoryMb(plan.nodes) / 1024
  const continuous = plan.nodes > 0 && choice.monitor === 'continuous'
  const seconds = continuous ? MONTH_SECONDS : (MONTH_SECONDS / 60) * SHORT_RUN_SECONDS
  return seconds * gb * prices.lambda.gbSecondArm
}

const httpApi = (usage: MonthlyUsage) => usage.requests * prices.httpApi.request

const events = (usage: MonthlyUsage) =>
  usage.transitions * measured.transitionEvents * prices.eventBridge.event +
  (MONTH_SECONDS / 60) * prices.scheduler.invocation

const signatures = (plan: FleetPlan) => plan.nodes * measured.tokensPerNode * prices.kms.signature

/** Alarms and metrics beyond the free tier; the one dashboard is within it. */
const cloudWatch = () =>
  Math.max(0, counted.alarms - alwaysFree.alarms) * prices.cloudWatch.alarmMonth +
  Math.max(0, counted.metrics - alwaysFree.metrics) * prices.cloudWatch.metricMonth

/** What it adds when another stack has used up the free tier. */
export const withoutFreeCloudWatch = () =>
  counted.alarms * prices.cloudWatch.alarmMonth +
  counted.metrics * prices.cloudWatch.metricMonth +
  prices.cloudWatch.dashboardMonth -
  cloudWatch()
