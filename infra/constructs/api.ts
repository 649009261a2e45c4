/** The Kubernetes-shaped face: one function behind a Function URL, or behind an HTTP API. */
import { type CfnStage, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { accept } from '../accept.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { SigningKeys } from './keys.ts'
import { minutes, ServiceFunction, seconds } from './service-function.ts'
import type { Tables } from './tables.ts'

/** A watch lives five minutes; the function outlives it so that the stream ends cleanly. */
const STREAM_TIMEOUT_MINUTES = 6
/** API Gateway hangs up after 30 s whatever the function does. */
const BUFFERED_TIMEOUT_SECONDS = 29
/** More memory is more CPU: a beat takes milliseconds and the bill is the product. */
const MEMORY_MB = 512
/**
 * A fleet that comes back at once asks several times as often; people and controllers come on top.
 */
const BURST_FACTOR = 5
const LEAST_RATE = 500

export interface ApiProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly keys: SigningKeys
  readonly environment: Readonly<Record<string, string>>
}

export class Api extends Construct {
  readonly service: ServiceFunction
  readonly url: string

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id)
    const { settings } = props
    const streams = settings.ingress === 'function-url'
    this.service = new ServiceFunction(this, 'Service', {
      name: 'api',
      stage: settings.stage,
      description: 'Leasehold: the Kubernetes API of nodes, leases and pods',
      timeout: streams ? minutes(STREAM_TIMEOUT_MINUTES) : seconds(BUFFERED_TIMEOUT_SECONDS),
      memoryMb: MEMORY_MB,
      withoutDeadLetters: 'Its callers wait for the answer and try again themselves.',
      logRetentionDays: settings.logRetentionDays,
      reservedConcurrency: settings.apiConcurrency,
      environment: { ...props.environment, LEASEHOLD_MAX_WATCHES: String(settings.maxWatches) },
    })
    props.tables.grantApi(this.service.function)
    const { ofNodes, ofAdmins } = props.keys
    ofNodes.signing.grant(this.service.function, 'kms:Sign')
    for (const key of [...ofNodes.believed, ...ofAdmins.believed])
      key.grant(this.service.function, 'kms:GetPublicKey')

    this.url = streams ? this.functionUrl() : this.httpApi(settings)
  }

  /** Authentication is the api's own (bearer tokens), so the URL itself asks for none. */
  private functionUrl(): string {
    return this.service.function.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    }).url
  }

  private httpApi(settings: DeploymentSettings): string {
    const api = new HttpApi(this, 'HttpApi', {
      apiName: `leasehold-${settings.stage}`,
      defaultIntegration: new HttpLambdaIntegration('Integration', this.service.function),
    })
    const logs = new LogGroup(this, 'AccessLogs', {
      retention: settings.logRetentionDays as RetentionDays,
    })
    const stage = api.defaultStage?.node.defaultChild as CfnStage
    stage.accessLogSettings = {
      destinationArn: logs.logGroupArn,
      // Paths and codes only: a header or a body could hold a token.
      format: JSON.stringify({
        at: '$context.requestTime',
        method: '$context.httpMethod',
        path: '$context.path',
        status: '$context.status',
        ms: '$context.responseLatency',
      }),
    }
    const perSecond = Math.ceil((settings.fleetSize / settings.beatSeconds) * BURST_FACTOR)
    stage.defaultRouteSettings = {
      throttlingRateLimit: Math.max(LEAST_RATE, perSecond),
      throttlingBurstLimit: Math.max(LEAST_RATE, perSecond) * BURST_FACTOR,
    }
    accept(api, {
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The api checks bearer tokens itself, on every path but the health checks.',
    })
    return api.apiEndpoint
  }
}
