/** What do all our functions have in common? Runtime, architecture, logs that end, traces, no surprises. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { bundle, type FunctionName } from '../bundle.ts'

export interface ServiceFunctionProps {
  readonly name: FunctionName
  readonly stage: string
  readonly description: string
  readonly timeout: Duration
  readonly memoryMb: number
  readonly logRetentionDays: number
  readonly environment: Readonly<Record<string, string>>
  /** Traces of a sample of requests; default true. At five per cent of every beat they cost more than the beats. */
  readonly tracing?: boolean
  /** Concurrent runs set aside for and granted to this function at most; default: the account's pool. */
  readonly reservedConcurrency?: number
}

export class ServiceFunction extends Construct {
  readonly function: LambdaFunction

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id)
    const functionName = `leasehold-${props.stage}-${props.name}`
    this.function = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundle(props.name).folder),
      handler: 'index.handler',
      timeout: props.timeout,
      memorySize: props.memoryMb,
      reservedConcurrentExecutions: props.reservedConcurrency,
      tracing: props.tracing === false ? Tracing.DISABLED : Tracing.ACTIVE,
      // Lambda's own START and REPORT lines would be a fifth of the price of a beat.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        LEASEHOLD_STAGE: props.stage,
        ...props.environment,
      },
      logGroup: new LogGroup(this, 'Logs', {
        logGroupName: `/leasehold/${props.stage}/${props.name}`,
        retention: props.logRetentionDays as RetentionDays,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    })
  }
}

export const minutes = (count: number) => Duration.minutes(count)
export const seconds = (count: number) => Duration.seconds(count)
