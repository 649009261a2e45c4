/**
 * What a deployment can choose, from `cdk deploy -c name=value` or cdk.json, with defaults. Checked
 * before anything is synthesized: a wrong value is one sentence here, not a failed CloudFormation
 * update.
 */
import { parseSettings, settingNames } from '../shared/lifecycle/settings.ts'
import { type Concurrency, planConcurrency, USUAL_QUOTA } from './concurrency.ts'

export interface DeploymentSettings {
  /** Prefix of every name, so that two stages can live in one account. */
  readonly stage: string
  /**
   * What is told as the address: the Function URL (streams, no fee per request), which is always
   * there, or an API Gateway HTTP API beside it (works with `sam local`).
   */
  readonly ingress: 'function-url' | 'http-api'
  /** A name of the operator's own for the HTTP API, and its certificate; empty: none. */
  readonly domainName: string
  readonly certificateArn: string
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
  /** Where alarms are sent; empty creates the topic without a subscription. */
  readonly alarmEmail: string
  readonly maxWatches: number
  /** Concurrent runs the account allows; `app.ts` asks AWS where it is not given. */
  readonly concurrencyQuota: number
  /** Runs set aside for each function; 0 sets none aside. */
  readonly concurrency: Concurrency
  /** Which key of its kind signs; raising it creates a new one and still trusts the one before. */
  readonly nodeKeyGeneration: number
  readonly adminKeyGeneration: number
  /** Whether previous keys are still trusted; false makes every token they signed void. */
  readonly believePreviousKeys: boolean
  /** kube-controller-manager's flags, by their names (`node-monitor-grace-period`: `50s`). */
  readonly lifecycle: Readonly<Record<string, string>>
}

const LIFECYCLE_PREFIX = 'lifecycle.'

/** The retentions CloudWatch Logs knows, so that a wrong one is refused here. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827]

export type Context = Readonly<Record<string, unknown>>

export function readDeploymentSettings(context: Context): DeploymentSettings {
  const text = (name: string, fallback: string) => String(context[name] ?? fallback)
  const number = (name: string, fallback: number, least: number, most: number) =>
    whole(name, text(name, String(fallback)), least, most)
  const planned = {
    stage: matching('stage', text('stage', 'prod'), /^[a-z][a-z0-9-]{0,19}$/),
    ingress: oneOf('ingress', text('ingress', 'function-url'), ['function-url', 'http-api']),
    billing: oneOf('billing', text('billing', 'on-demand'), ['on-demand', 'provisioned']),
    fleetSize: number('fleetSize', 1000, 1, 200_000),
    beatSeconds: number('beatSeconds', 10, 1, 3600),
    warmThroughput: flag('warmThroughput', text('warmThroughput', 'false')),
    ...restored(text('restoredTables', ''), text('restoredStream', '')),
    archiveDays: number('archiveDays', 0, 0, 3650),
    logRetentionDays: Number(
      oneOf('logRetentionDays', text('logRetentionDays', '30'), RETENTION_DAYS.map(String)),
    ),
    alarmEmail: matching('alarmEmail', text('alarmEmail', ''), /^$|^[^@\s]+@[^@\s]+$/),
    maxWatches: number('maxWatches', 50, 1, 1000),
    concurrencyQuota: number('concurrencyQuota', USUAL_QUOTA, 1, 1_000_000),
    nodeKeyGeneration: number('nodeKeyGeneration', 1, 1, 100),
    adminKeyGeneration: number('adminKeyGeneration', 1, 1, 100),
    believePreviousKeys: flag('believePreviousKeys', text('believePreviousKeys', 'true')),
    lifecycle: lifecycleFlags(context),
  }
  const domain = ownDomain(text('domainName', ''), text('certificateArn', ''), planned.ingress)
  const plan = planConcurrency(planned.concurrencyQuota, planned)
  const concurrency = {
    api: number('apiConcurrency', plan.api, 0, 100_000),
    monitor: number('monitorConcurrency', plan.monitor, 0, 10),
    notifier: number('notifierConcurrency', plan.notifier, 0, 1_000),
  }
  const settings = { ...planned, ...domain, concurrency }
  const { concurrency: _each, ...named } = settings
  const { lifecycle: _flags, ...single } = named
  refuseUnknown(context, [...Object.keys(single), ...Object.keys(plan).map(concurrencyOption)])
  return settings
}

const concurrencyOption = (name: string) => `${name}Concurrency`

/** A misspelt option would deploy its default without a word. The CDK's own names have a colon or an @. */
function refuseUnknown(context: Context, known: readonly string[]): void {
  const isOurs = (name: string) => !/[:@]/.test(name) && !name.startsWith(LIFECYCLE_PREFIX)
  const unknown = Object.keys(context).find((name) => isOurs(name) && !known.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `-c ${unknown}: no such option, there are ${[...known, `${LIFECYCLE_PREFIX}<flag>`].join(', ')}`,
    )
}

/** A Function URL cannot have a name of its own, and a name needs a certificate. */
function ownDomain(domainName: string, certificateArn: string, ingress: string) {
  if (Boolean(domainName) !== Boolean(certificateArn))
    throw new Error('give -c domainName=NAME and -c certificateArn=ARN together')
  if (domainName && ingress !== 'http-api')
    throw new Error('-c domainName needs -c ingress=http-api')
  const domain = /^$|^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/
  return {
    domainName: matching('domainName', domainName, domain),
    certificateArn: matching(
      'certificateArn',
      certificateArn,
      /^$|^arn:[^:]+:acm:.+:certificate\/.+$/,
    ),
  }
}

/** Tables without their stream would send no event, and no alarm would tell. */
function restored(tables: string, stream: string) {
  if (Boolean(tables) !== Boolean(stream))
    throw new Error('give -c restoredTables=PREFIX and -c restoredStream=ARN together')
  return {
    restoredTables: matching('restoredTables', tables, /^$|^[A-Za-z0-9_.-]{3,240}$/),
    restoredStream: matching('restoredStream', stream, /^$|^arn:[^:]+:dynamodb:.+\/stream\/.+$/),
  }
}

/** The functions would refuse a wrong flag at their first start; here it stops the deploy. */
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
