/** What a month costs: one line per component; the sum is the bill. */
import { API_MEMORY_MB, monitorMemoryMb, NOTIFIER_MEMORY_MB } from '../memory.ts'
import { alwaysFree, prices } from './prices.ts'
import { type FleetPlan, MONTH_SECONDS, type MonthlyUsage, measured, usageOf } from './usage.ts'

export interface Choice {
  /** Of the Leases table; Objects are always on demand. */
  readonly leases: 'on-demand' | 'provisioned'
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
export const counted = { alarms: 22, metrics: 9, keys: 2 } as const
const PROVISIONED_UTILISATION = 0.7
/** The Scheduler starts a monitor every minute. */
const STARTS = MONTH_SECONDS / 60
const READ_UNIT_BYTES = 4_096
const GB = 1e9
/** A once-a-minute monitor runs about this long. */
const SHORT_RUN_SECONDS = 2

export function bill(plan: FleetPlan, choice: Choice): readonly Line[] {
  const usage = usageOf(plan)
  return [
    { component: 'DynamoDB writes, Leases', dollars: leaseWrites(usage, choice) },
    { component: 'DynamoDB writes, Objects', dollars: objectWrites(usage) },
    { component: 'DynamoDB reads, Leases', dollars: leaseReads(plan, usage, choice) },
    { component: 'DynamoDB reads, Objects', dollars: objectReads(plan, usage, choice) },
    { component: 'DynamoDB storage and backup', dollars: storage(plan) },
    { component: 'Lambda requests', dollars: lambdaRequests(usage) },
    { component: 'Lambda time, api', dollars: apiTime(usage) },
    { component: 'Lambda time, monitor', dollars: monitorTime(plan, choice) },
    { component: 'Lambda time, notifier', dollars: notifierTime(usage) },
    { component: 'HTTP API', dollars: choice.ingress === 'http-api' ? httpApi(usage) : 0 },
    { component: 'Data transfer out', dollars: transferOut(usage) },
    { component: 'EventBridge and Scheduler', dollars: events(usage) },
    { component: 'KMS', dollars: counted.keys * prices.kms.keyMonth + signatures(plan) },
    { component: 'CloudWatch alarms and metrics', dollars: cloudWatch() },
    { component: 'CloudWatch logs', dollars: logs(usage, choice) },
  ]
}

export const billTotal = (lines: readonly Line[]) =>
  lines.reduce((sum, line) => sum + line.dollars, 0)

const { onDemandWriteUnit, onDemandReadUnit } = prices.dynamodb
const { provisionedWriteUnitHour, provisionedReadUnitHour } = prices.dynamodb

function leaseWrites(usage: MonthlyUsage, choice: Choice): number {
  const units = usage.beats * measured.beatWriteUnits + usage.ticks * measured.tickLeaseWriteUnits
  return choice.leases === 'on-demand'
    ? units * onDemandWriteUnit
    : provisioned(units, provisionedWriteUnitHour)
}

const objectWrites = (usage: MonthlyUsage) =>
  onDemandWriteUnit *
  (usage.statuses * measured.statusWriteUnits +
    usage.ticks * measured.tickObjectWriteUnits +
    usage.transitions * measured.transitionWriteUnits)

const ticksOf = (usage: MonthlyUsage, choice: Choice) =>
  choice.monitor === 'continuous' ? usage.ticks : STARTS

/** Every tick scans them. */
function leaseReads(plan: FleetPlan, usage: MonthlyUsage, choice: Choice): number {
  const units = ticksOf(usage, choice) * plan.nodes * measured.scanReadUnitsPerLease
  return choice.leases === 'on-demand'
    ? units * onDemandReadUnit
    : provisioned(units, provisionedReadUnitHour)
}

function objectReads(plan: FleetPlan, usage: MonthlyUsage, choice: Choice): number {
  const isContinuous = choice.monitor === 'continuous'
  const lists = isContinuous ? handoversOf(plan) * measured.listsPerMonitor : STARTS
  const listed = Math.ceil((plan.nodes * measured.nodeBytes) / READ_UNIT_BYTES)
  const units =
    ticksOf(usage, choice) * measured.tickReadUnits +
    usage.statuses * measured.statusReadUnits +
    lists * listed
  return units * onDemandReadUnit
}

/** With no nodes a monitor ends after one tick and hands over to none. */
const handoversOf = (plan: FleetPlan) =>
  plan.nodes > 0 ? MONTH_SECONDS / measured.monitorLifeSeconds : 0

/** An hour of one unit per second has a price, used or not. */
function provisioned(units: number, unitHour: number): number {
  const perSecond = units / MONTH_SECONDS / PROVISIONED_UTILISATION
  return (perSecond * MONTH_SECONDS * unitHour) / 3600
}

function storage(plan: FleetPlan): number {
  const gb = (plan.nodes * measured.bytesPerNode) / GB
  return gb * (prices.dynamodb.storageGbMonth + prices.dynamodb.backupGbMonth)
}

function apiTime(usage: MonthlyUsage): number {
  const ms = (usage.beats + usage.ticks) * measured.beatMs + usage.statuses * measured.statusMs
  return (ms / 1000) * API_GB * prices.lambda.gbSecondArm
}

/** What does not come through the ingress: the notifier's runs and the monitor's. */
const lambdaRequests = (usage: MonthlyUsage) =>
  (usage.requests + usage.notifierRuns + STARTS) * prices.lambda.request

const notifierTime = (usage: MonthlyUsage) =>
  ((usage.notifierRuns * measured.notifierMs) / 1000) * NOTIFIER_GB * prices.lambda.gbSecondArm

function monitorTime(plan: FleetPlan, choice: Choice): number {
  const gb = monitorMemoryMb(plan.nodes) / 1024
  const isContinuous = plan.nodes > 0 && choice.monitor === 'continuous'
  const seconds = isContinuous
    ? MONTH_SECONDS +
      handoversOf(plan) * measured.handoverSeconds +
      STARTS * measured.idleStartSeconds
    : STARTS * SHORT_RUN_SECONDS
  return seconds * gb * prices.lambda.gbSecondArm
}

const httpApi = (usage: MonthlyUsage) => usage.requests * prices.httpApi.request

const events = (usage: MonthlyUsage) =>
  usage.transitions * measured.transitionEvents * prices.eventBridge.event +
  STARTS * prices.scheduler.invocation

const transferOut = ({ bytesOut }: MonthlyUsage) =>
  beyond(bytesOut / GB, alwaysFree.transferOutGb) * prices.transfer.outGb

/** Lambda itself logs warnings only; the HTTP API logs every request. */
function logs(usage: MonthlyUsage, { ingress }: Choice): number {
  const accessBytes = ingress === 'http-api' ? usage.requests * measured.accessLogBytes : 0
  const gb = (accessBytes + STARTS * measured.logBytesPerMinute) / GB
  return beyond(gb, alwaysFree.logGb) * prices.cloudWatch.logGb
}

const beyond = (used: number, free: number) => Math.max(0, used - free)

const signatures = (plan: FleetPlan) => plan.nodes * measured.tokensPerNode * prices.kms.signature

/** Alarms and metrics beyond the free tier; the one dashboard is within it. */
const cloudWatch = () =>
  beyond(counted.alarms, alwaysFree.alarms) * prices.cloudWatch.alarmMonth +
  beyond(counted.metrics, alwaysFree.metrics) * prices.cloudWatch.metricMonth

/** What it adds when other stacks have used up what is free. */
export function withoutFree(plan: FleetPlan): number {
  const { bytesOut } = usageOf(plan)
  return (
    Math.min(counted.alarms, alwaysFree.alarms) * prices.cloudWatch.alarmMonth +
    Math.min(counted.metrics, alwaysFree.metrics) * prices.cloudWatch.metricMonth +
    prices.cloudWatch.dashboardMonth +
    Math.min(bytesOut / GB, alwaysFree.transferOutGb) * prices.transfer.outGb
  )
}
