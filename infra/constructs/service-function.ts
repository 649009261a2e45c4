/** What all our functions share: runtime, architecture, a log group that expires, a role each. */
import { type Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { environmentName } from '../../shared/lifecycle/settings.ts'
import { bundle, type FunctionName } from '../bundle.ts'
import { acknowledgeNag } from '../nag.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { KeyGenerations, SigningKeys } from './keys.ts'
import { tablePrefix } from './tables.ts'

interface ServiceFunctionProps {
  readonly name: string
  /** Whose code it runs. */
  readonly code: FunctionName
  readonly stage: string
  readonly description: string
  readonly timeout: Duration
  readonly memoryMb: number
  readonly logRetentionDays: number
  readonly environment: Readonly<Record<string, string>>
  /** Why it has no dead-letter queue of Lambda's own. */
  readonly withoutDeadLetters: string
  /**
   * Concurrent runs set aside for, and granted to, this function at most; 0, the default, leaves it
   * the account's pool.
   */
  readonly reservedConcurrency?: number
}

export class ServiceFunction extends Construct {
  readonly function: LambdaFunction

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id)
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/leasehold/${props.stage}/${props.name}`,
      retention: props.logRetentionDays as RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    // Lambda's managed policy may write to every log group of the account; this role to one.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    this.function = new LambdaFunction(this, 'Function', {
      functionName: `leasehold-${props.stage}-${props.name}`,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundle(props.code).folder),
      handler: 'index.handler',
      role,
      timeout: props.timeout,
      memorySize: props.memoryMb,
      // A reservation of 0 would keep the function from ever running.
      reservedConcurrentExecutions: props.reservedConcurrency || undefined,
      // Lambda's own START and REPORT lines would be a fifth of the price of a beat.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      environment: { LEASEHOLD_STAGE: props.stage, ...props.environment },
      logGroup,
    })
    acknowledgeNag(
      this.function,
      {
        id: 'Serverless::Serverless-LambdaTracing',
        reason:
          'Traces need a wildcard permission and at every beat would cost more than the beats; ' +
          'metrics and logs tell what went wrong.',
      },
      { id: 'Serverless::Serverless-LambdaDLQ', reason: props.withoutDeadLetters },
    )
  }
}

/** What every function is told: tables, keys, and how to judge. */
export const sharedVariables = (settings: DeploymentSettings, keys: SigningKeys) => ({
  LEASEHOLD_TABLE_PREFIX: tablePrefix(settings),
  LEASEHOLD_NODE_KEY_ID: idsOf(keys.ofNodes),
  LEASEHOLD_ADMIN_KEY_ID: idsOf(keys.ofAdmins),
  ...lifecycleVariables(settings.lifecycle),
})

/** The key that signs comes first. */
const idsOf = ({ believed }: KeyGenerations) => believed.map(({ keyId }) => keyId).join(',')

/** `node-monitor-period` becomes `NODE_MONITOR_PERIOD`, which is how the functions read it. */
function lifecycleVariables(flags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [environmentName(flag), value]),
  )
}
