/**
 * What does EC2 say about this instance? Asked once at start, of the instance metadata service in
 * its second version (a session token first), as cloud-provider-aws fills in a Node.
 */
import http from 'node:http'
import type { NodeAddress } from '../../shared/kube/objects.ts'

export interface CloudFacts {
  readonly nodeName: string
  readonly providerId: string
  readonly labels: Readonly<Record<string, string>>
  readonly addresses: readonly NodeAddress[]
}

/** Its message says what to look at. Not a mistake in the configuration: a restart may help. */
export class CloudError extends Error {}

const ENDPOINT = 'http://169.254.169.254'
/** Over all questions: on a machine outside of EC2 nothing answers at that address. */
const LIMIT_MS = 1_000
const TOKEN_SECONDS = '60'
const MAX_BODY_BYTES = 64 * 1024
const METADATA = '/latest/meta-data'

export async function awsFacts(endpoint = ENDPOINT): Promise<CloudFacts> {
  const ask = asker(endpoint, AbortSignal.timeout(LIMIT_MS))
  try {
    return await factsFrom(ask)
  } catch (error) {
    const { message, name } = error as Error
    const why = name === 'AbortError' ? 'no answer within 1 s' : message
    throw new CloudError(
      `--cloud-provider aws: no instance metadata from ${endpoint} (${why}); ` +
        'is this an EC2 instance with its metadata service on, and within its hop limit?',
    )
  }
}

type Ask = (method: string, path: string, headers: Headers) => Promise<string | undefined>
type Headers = Readonly<Record<string, string>>

async function factsFrom(ask: Ask): Promise<CloudFacts> {
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS }
  const token = await ask('PUT', '/latest/api/token', ttl)
  if (!token) throw new Error('it knows no version 2')
  const get = (name: string) =>
    ask('GET', `${METADATA}/${name}`, { 'x-aws-ec2-metadata-token': token })
  const need = async (name: string) => {
    const value = await get(name)
    if (!value) throw new Error(`it knows no ${name}`)
    return value
  }
  const [id, type, zone, region, localName, publicName, publicIp] = await Promise.all([
    need('instance-id'),
    need('instance-type'),
    need('placement/availability-zone'),
    need('placement/region'),
    need('local-hostname'),
    get('public-hostname'),
    get('public-ipv4'),
  ])
  // With several domains in its DHCP options there are several names; the first is the instance's.
  const nodeName = localName.split(' ')[0]!
  return {
    nodeName,
    providerId: `aws:///${zone}/${id}`,
    labels: {
      'node.kubernetes.io/instance-type': type,
      'topology.kubernetes.io/zone': zone,
      'topology.kubernetes.io/region': region,
    },
    addresses: [
      ...addressIf('ExternalIP', publicIp),
      ...addressIf('InternalDNS', nodeName),
      ...addressIf('ExternalDNS', publicName),
    ],
  }
}

const addressIf = (type: string, address: string | undefined) =>
  address ? [{ type, address }] : []

/** The body, or undefined for what the instance does not have (404). */
function asker(endpoint: string, signal: AbortSignal): Ask {
  return async (method, path, headers) => {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const options = { method, headers, signal }
      http.request(`${endpoint}${path}`, options, resolve).on('error', reject).end()
    })
    let body = ''
    for await (const chunk of response.setEncoding('utf8')) {
      body += chunk
      if (body.length > MAX_BODY_BYTES) throw new Error('its answer is too long')
    }
    if (response.statusCode === 404) return undefined
    if (response.statusCode === 200) return body.trim()
    throw new Error(`${path} answers ${response.statusCode}`)
  }
}
