/**
 * Where is a service of AWS, and who asks? In Lambda the environment says so, and a cold start need
 * not load the SDK to learn it.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Credentials } from './signature.ts'

export type Service = 'dynamodb' | 'kms'

export interface Site {
  readonly service: Service
  readonly region: string
  readonly url: URL
  /** Asked before every call: some are renewed before they expire. */
  readonly credentials: () => Credentials | Promise<Credentials>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Whoever sets one of these wants what only the SDK knows. */
const subtleties = [
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_PROFILE',
]
/** China, the European Sovereign Cloud and the isolated partitions have domains of their own. */
const elsewhere = /^cn-|^eusc-|-iso/

/** `client` is asked, and so loaded, only where the environment does not say it all. */
export async function siteFor(
  service: Service,
  env: Environment,
  client: () => Promise<DynamoDBClient>,
): Promise<Site> {
  const known = siteIn(env, service)
  if (known) return known
  const site = await siteOf(await client())
  if (service === 'dynamodb') return site
  // AWS names its hosts by their service, in every partition.
  const href = endpointIn(env, service) ?? site.url.href.replace('dynamodb', service)
  return { ...site, service, url: new URL(href) }
}

/** Undefined when the environment does not say it all. */
export function siteIn(env: Environment, service: Service): Site | undefined {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env
  if (!region || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined
  if (elsewhere.test(region) || subtleties.some((name) => env[name])) return undefined
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  }
  const url = new URL(endpointIn(env, service) ?? `https://${service}.${region}.amazonaws.com`)
  return { service, region, url, credentials: () => credentials }
}

/** The names that AWS's own tools go by; ours, which names DynamoDB alone, goes before them. */
function endpointIn(env: Environment, service: Service): string | undefined {
  const ours = service === 'dynamodb' ? env.DYNAMODB_ENDPOINT : undefined
  const own = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`]
  return ours || own || env.AWS_ENDPOINT_URL || undefined
}

/** What a client of the SDK was given or has found out: profiles, roles, other partitions. */
export async function siteOf({ config }: DynamoDBClient): Promise<Site> {
  const region = await config.region()
  const [given, UseFIPS, UseDualStack] = await Promise.all([
    configured(config),
    config.useFipsEndpoint(),
    config.useDualstackEndpoint(),
  ])
  const url = given ?? config.endpointProvider({ Region: region, UseDualStack, UseFIPS }).url
  return { service: 'dynamodb', region, url, credentials: () => config.credentials() }
}

async function configured(config: DynamoDBClient['config']): Promise<URL | undefined> {
  const custom = await config.endpoint?.()
  if (custom) {
    const port = custom.port ? `:${custom.port}` : ''
    return new URL(`${custom.protocol}//${custom.hostname}${port}/`)
  }
  // From the environment or a profile. The SDK's types hide it, since only its middleware asks.
  const { serviceConfiguredEndpoint: find } = config as unknown as {
    readonly serviceConfiguredEndpoint?: () => Promise<string | undefined>
  }
  const found = await find?.()
  return found ? new URL(found) : undefined
}
