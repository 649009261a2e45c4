/**
 * The endpoint and credentials of an AWS service. In Lambda the environment has both, so a cold start
 * need not load the SDK to resolve them.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

export type Service = 'dynamodb' | 'kms' | 'servicequotas'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface AwsEndpoint {
  readonly service: Service
  readonly region: string
  readonly url: URL
  /** A unix socket at which the service answers instead of at the host of its URL. */
  readonly socketPath?: string
  /** Called before every request: some credentials are renewed before they expire. */
  readonly credentials: () => AwsCredentials | Promise<AwsCredentials>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** With one of these set, only the SDK can resolve endpoint and credentials. */
const sdkOnlySettings = [
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_PROFILE',
]
/** China, the European Sovereign Cloud and the isolated partitions have domains of their own. */
const otherPartitions = /^cn-|^eusc-|-iso/

/** The SDK's `client` is loaded only where the environment is not enough. */
export async function endpointFor(
  service: Service,
  env: Environment,
  client: () => Promise<DynamoDBClient>,
): Promise<AwsEndpoint> {
  const resolved = endpointFromEnvironment(env, service)
  if (resolved) return resolved
  const endpoint = await endpointOfClient(await client())
  if (service === 'dynamodb') return endpoint
  // In every partition the host name contains the service's name.
  const href = configuredUrl(env, service) ?? endpoint.url.href.replace('dynamodb', service)
  return { ...endpoint, service, url: new URL(href) }
}

/** Undefined when the environment is not enough. */
export function endpointFromEnvironment(
  env: Environment,
  service: Service,
): AwsEndpoint | undefined {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env
  if (!region || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined
  if (otherPartitions.test(region) || sdkOnlySettings.some((name) => env[name])) return undefined
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  }
  const url = new URL(configuredUrl(env, service) ?? `https://${service}.${region}.amazonaws.com`)
  return { service, region, url, credentials: () => credentials }
}

/** DYNAMODB_ENDPOINT is ours and comes first; the others are those of AWS's own tools. */
function configuredUrl(env: Environment, service: Service): string | undefined {
  const ours = service === 'dynamodb' ? env.DYNAMODB_ENDPOINT : undefined
  const own = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`]
  return ours || own || env.AWS_ENDPOINT_URL || undefined
}

/** As the SDK's client resolves them: from profiles, roles, other partitions. */
export async function endpointOfClient({ config }: DynamoDBClient): Promise<AwsEndpoint> {
  const region = await config.region()
  const [given, UseFIPS, UseDualStack] = await Promise.all([
    customUrl(config),
    config.useFipsEndpoint(),
    config.useDualstackEndpoint(),
  ])
  const url = given ?? config.endpointProvider({ Region: region, UseDualStack, UseFIPS }).url
  return { service: 'dynamodb', region, url, credentials: () => config.credentials() }
}

async function customUrl(config: DynamoDBClient['config']): Promise<URL | undefined> {
  const custom = await config.endpoint?.()
  if (custom) {
    const port = custom.port ? `:${custom.port}` : ''
    return new URL(`${custom.protocol}//${custom.hostname}${port}/`)
  }
  // From the environment or a profile. The SDK's types do not show it.
  const { serviceConfiguredEndpoint: find } = config as unknown as {
    readonly serviceConfiguredEndpoint?: () => Promise<string | undefined>
  }
  const found = await find?.()
  return found ? new URL(found) : undefined
}
