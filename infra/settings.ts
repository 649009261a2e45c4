/**
 * What can a deployment choose? Typed, with defaults, from `cdk deploy -c name=value` or cdk.json,
 * and checked before anything is synthesized: a wrong value is a sentence, not a stack trace in
 * CloudFormation.
 */
import { parseSettings, settingNames } from '../shared/lifecycle/settings.ts'

export interface DeploymentSettings {
  /** Prefix of every name, so that two stages can live in one account. */
  readonly stage: string
  /**
   * Function URL (streams, no fee per request) or API Gateway HTTP API (works with `sam local`).
   */
  readonly ingress: 'function-url' | 'http-api'
  readonly billing: 'on-demand' | 'provisioned'
  /**
   * How many nodes to plan for: memory, provisioned capacity and warm throughput follow from it.
   */
  readonly fleetSize: number
  /** Seconds between two beats of a host, for the same planning. */
  readonly beatSeconds: number
  /** Whether to pay once so that the tables take the planned load from the first second. */
  readonly warmThroughput: boolean
  /**
   * The prefix of tables restored from a backup, to be used instead of the stage's own, and the
   * stream of their Objects; empty for the stage's own.
   */
  readonly restoredTables: string
  readonly restoredStream: string
  /** Days the bus keeps events for a replay; 0 keeps none. */
  readonly archiveDays: number
  readonly logRetentionDays: number
  /** Where alarms are sent; empty creates the topic and subscribes nobody. */
  readonly alarmEmail: string
  readonly maxWatches: number
  /**
   * Runs set aside for the monitor: incumbent, successor, and one for a scheduler that fires twice.
   * 0 sets none aside, for accounts that have none to spare.
   */
  readonly monitorConcurrency: number
  /** Concurrent runs the api may have, set aside for it; 0 leaves it the account's pool. */
  readonly apiConcurrency: number
  /** Which key of its kind signs; raising it makes a new one and believes the one before. */
  readonly nodeKeyGeneration: number
  readonly adminKeyGeneration: number
  /** Whether the keys before still count; false cuts off every token they signed. */
  readonly believePreviousKeys: boolean
  /** kube-controller-manager's flags, by their names (`node-monitor-grace-period`: `50s`). */
  readonly lifecycle: Readonly<Record<string, string>>
}

export const LIFECYCLE_PREFIX = 'lifecycle.'

/** The retentions CloudWatch Logs knows, so that a wrong one is refused here. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827]

export type Context = Readonly<Record<string, unknown>>

export function readSettings(context: Context): DeploymentSettings {
  const text = (name: string, fallback: string) => String(context[name] ?? fallback)
  return {
    stage: matching('stage', text('stage', 'prod'), /^[a-z][a-z0-9-]{0,19}$/),
    ingress: oneOf('ingress', text('ingress', 'function-url'), ['function-url', 'http-api']),
    billing: oneOf('billing', text('billing', 'on-demand'), ['on-demand', 'provisioned']),
    fleetSize: whole('fleetSize', text('fleetSize', '1000'), 1, 200_000),
    beatSeconds: whole('beatSeconds', text('beatSeconds', '10'), 1, 3600),
    warmThroughput: flag('warmThroughput', text('warmThroughput', 'false')),
    ...restored(text('restoredTables', ''), text('restoredStream', '')),
    archiveDays: whole('archiveDays', text('archiveDays', '0'), 0, 3650),
    logRetentionDays: Number(
      oneOf('logRetentionDays', text('logRetentionDays', '30'), RETENTION_DAYS.map(String)),
    ),
    alarmEmail: matching('alarmEmail', text('alarmEmail', ''), /^$|^[^@\s]+@[^@\s]+$/),
    maxWatches: whole('maxWatches', text('maxWatches', '50'), 1, 1000),
    monitorConcurrency: whole('monitorConcurrency', text('monitorConcurrency', '3'), 0, 10),
    apiConcurrency: whole('apiConcurrency', text('apiConcurrency', '0'), 0, 100_000),
    nodeKeyGeneration: whole('nodeKeyGeneration', text('nodeKeyGeneration', '1'), 1, 100),
    adminKeyGeneration: whole('adminKeyGeneration', text('adminKeyGeneration', '1'), 1, 100),
    believePreviousKeys: flag('believePreviousKeys', text('believePreviousKeys', 'true')),
    lifecycle: lifecycleFlags(context),
  }
}

/** A table without its stream would leave the world untold, and nobody would notice. */
function restored(tables: string, stream: string) {
  if (Boolean(tables) !== Boolean(stream))
    throw new Error('give -c restoredTables=PREFIX and -c restoredStream=ARN together')
  return {
    restoredTables: matching('restoredTables', tables, /^$|^[A-Za-z0-9_.-]{3,240}$/),
    restoredStream: matching('restoredStream', stream, /^$|^arn:[^:]+:dynamodb:.+\/stream\/.+$/),
  }
}

/**
 * The functions would refuse a wrong flag at their first start; here it is refused before the
 * deploy.
 */
function lifecycleFlags(context: Context): Record<string, string> {
  const given = Object.entries(context).filter(([name]) => name.startsWith(LIFECYCLE_PREFIX))
  const flags = Object.fromEntries(
    given.map(([name, value]) => [name.slice(LIFECYCLE_PREFIX.length), String(value)]),
  )
  const unknown = Object.keys(flags).find((flag) => !(flag in settingNames))
  if (unknown !== undefined) throw new Error(`-c ${LIFECYCLE_PREFIX}${unknown}: no such flag`)
  const parsed = parseSettings((name) => flags[name])
  if (parsed.kind === 'settings') return flags
  throw new Error(parsed.problems.map((problem) => `-c ${LIFECYCLE_PREFIX}${problem}`).join('\n'))
}

function oneOf<const T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw new Error(`-c ${name}=${value}: choose one of ${choices.join(', ')}`)
}

const flag = (name: string, value: string) => oneOf(name, value, ['true', 'false']) === 'true'

function whole(name: string, value: string, least: number, most: number): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= least && number <= most) return number
  throw new Error(`-c ${name}=${value}: give a whole number from ${least} to ${most}`)
}

function matching(name: string, value: string, pattern: RegExp): string {
  if (pattern.test(value)) return value
  throw new Error(`-c ${name}=${value}: does not look like ${pattern.source}`)
}
