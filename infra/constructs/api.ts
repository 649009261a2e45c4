/**
 * The api: a function behind a Function URL, always; with `ingress=http-api` another one behind an
 * HTTP API beside it. So choosing the ingress never takes an address away from hosts that know the
 * Function URL.
 */
import { Duration } from 'aws-cdk-lib'
import { FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { API_MEMORY_MB } from '../memory.ts'
import type { DeploymentSettings } from '../settings.ts'
import { HttpIngress } from './http-ingress.ts'
import type { SigningKeys } from './keys.ts'
import { ServiceFunction, sharedVariables } from './service-function.ts'
import type { Tables } from './tables.ts'

/** A watch lives five minutes; the function outlives it so that the stream ends cleanly. */
const STREAM_TIMEOUT_MINUTES = 6
/** API Gateway closes after 30 s whatever the function does. */
const BUFFERED_TIMEOUT_SECONDS = 29

interface ApiProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly keys: SigningKeys
}

export class ApiService extends Construct {
  readonly service: ServiceFunction
  readonly functionUrl: string
  /** With `ingress=http-api`. */
  readonly http: HttpIngress | undefined

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id)
    this.service = this.apiFunction('Service', props, {
      name: 'api',
      ingress: 'function-url',
      timeout: Duration.minutes(STREAM_TIMEOUT_MINUTES),
    })
    // Authentication is the api's own (bearer tokens), so the URL itself asks for none.
    this.functionUrl = this.service.function.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    }).url
    const { settings } = props
    if (settings.ingress === 'http-api') {
      const service = this.apiFunction('HttpService', props, {
        name: 'api-http',
        ingress: 'http-api',
        timeout: Duration.seconds(BUFFERED_TIMEOUT_SECONDS),
      })
      this.http = new HttpIngress(this, 'Http', { settings, service })
    }
  }

  /** Of the chosen ingress, by the name that AWS gave it: it works without a DNS record. */
  get url(): string {
    return this.http?.url ?? this.functionUrl
  }

  /** What people and hosts are told. */
  get address(): string {
    return this.http?.domainUrl ?? this.url
  }

  private apiFunction(
    id: string,
    { settings, tables, keys }: ApiProps,
    of: { readonly name: string; readonly ingress: string; readonly timeout: Duration },
  ): ServiceFunction {
    const service = new ServiceFunction(this, id, {
      name: of.name,
      code: 'api',
      stage: settings.stage,
      description: 'Leasehold: the Kubernetes API of nodes, leases and pods',
      timeout: of.timeout,
      memoryMb: API_MEMORY_MB,
      withoutDeadLetters: 'Its callers wait for the answer and try again themselves.',
      logRetentionDays: settings.logRetentionDays,
      reservedConcurrency: settings.concurrency.api,
      environment: {
        ...sharedVariables(settings, keys),
        LEASEHOLD_INGRESS: of.ingress,
        LEASEHOLD_MAX_WATCHES: String(settings.maxWatches),
      },
    })
    tables.grantApi(service.function)
    const { ofNodes, ofAdmins } = keys
    ofNodes.signing.grant(service.function, 'kms:Sign')
    for (const key of [...ofNodes.believed, ...ofAdmins.believed])
      key.grant(service.function, 'kms:GetPublicKey')
    return service
  }
}
