/**
 * What do all our functions have in common? Runtime, architecture, logs that end, a role of their
 * own.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
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
import { accept } from '../accept.ts'
import { bundle, type FunctionName } from '../bundle.ts'

export interface ServiceFunctionProps {
  readonly name: FunctionName
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
    // Lambda's own policy may write to every log group of the account; this role to one.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    this.function = new LambdaFunction(this, 'Function', {
      functionName: `leasehold-${props.stage}-${props.name}`,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundle(props.name).folder),
      handler: 'index.handler',
      role,
      timeout: props.timeout,
      memorySize: props.memoryMb,
      // To Lambda a reservation of none would mean that it may never run.
      reservedConcurrentExecutions: props.reservedConcurrency || undefined,
      // Lambda's own START and REPORT lines would be a fifth of the price of a beat.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      environment: { LEASEHOLD_STAGE: props.stage, ...props.environment },
      logGroup,
    })
    accept(
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

export const minutes = (count: number) => Duration.minutes(count)
export const seconds = (count: number) => Duration.seconds(count)
