/** An API Gateway HTTP API in front of the api: throttled, with access logs, perhaps with a domain. */
import { ApiMapping, type CfnStage, DomainName, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { BURST_FACTOR } from '../concurrency.ts'
import { acknowledgeNag } from '../nag.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { ServiceFunction } from './service-function.ts'

const LEAST_RATE = 500
/** Paths and codes only: a header or a body could hold a token. */
const ACCESS_LOG = {
  at: '$context.requestTime',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  ms: '$context.responseLatency',
}

interface HttpIngressProps {
  readonly settings: DeploymentSettings
  readonly service: ServiceFunction
}

export class HttpIngress extends Construct {
  readonly service: ServiceFunction
  readonly api: HttpApi
  /** What the DNS record of the operator's domain points to. */
  readonly domainTarget: string | undefined
  readonly domainUrl: string | undefined

  constructor(scope: Construct, id: string, { settings, service }: HttpIngressProps) {
    super(scope, id)
    this.service = service
    this.api = new HttpApi(this, 'HttpApi', {
      apiName: `leasehold-${settings.stage}`,
      defaultIntegration: new HttpLambdaIntegration('Integration', service.function),
    })
    acknowledgeNag(this.api, {
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The api checks bearer tokens itself, on every path but the health checks.',
    })
    this.limitAndLog(settings)
    if (settings.domainName) {
      this.domainTarget = this.domain(settings)
      this.domainUrl = `https://${settings.domainName}`
    }
  }

  get url(): string {
    return this.api.apiEndpoint
  }

  private limitAndLog(settings: DeploymentSettings): void {
    const logs = new LogGroup(this, 'AccessLogs', {
      retention: settings.logRetentionDays as RetentionDays,
    })
    const stage = this.api.defaultStage?.node.defaultChild as CfnStage
    stage.accessLogSettings = {
      destinationArn: logs.logGroupArn,
      format: JSON.stringify(ACCESS_LOG),
    }
    const perSecond = Math.ceil((settings.fleetSize / settings.beatSeconds) * BURST_FACTOR)
    stage.defaultRouteSettings = {
      throttlingRateLimit: Math.max(LEAST_RATE, perSecond),
      throttlingBurstLimit: Math.max(LEAST_RATE, perSecond) * BURST_FACTOR,
    }
  }

  private domain({ domainName, certificateArn }: DeploymentSettings): string {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
    const domain = new DomainName(this, 'Domain', { domainName, certificate })
    new ApiMapping(this, 'Mapping', { api: this.api, domainName: domain })
    return domain.regionalDomainName
  }
}
