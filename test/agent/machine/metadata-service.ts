/** An instance metadata service as AWS documents it: version 2 only, a session token first. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MetadataService {
  readonly url: string
  /** Every path that was asked for with a valid token. */
  readonly asked: readonly string[]
  close(): void
}

export const INSTANCE = {
  'instance-id': 'i-0123456789abcdef0',
  'instance-type': 'm7g.large',
  'placement/availability-zone': 'eu-central-1b',
  'placement/region': 'eu-central-1',
  'local-hostname': 'ip-10-0-3-7.eu-central-1.compute.internal',
  'public-hostname': 'ec2-203-0-113-7.eu-central-1.compute.amazonaws.com',
  'public-ipv4': '203.0.113.7',
}

/** `isSilent`: takes connections and says nothing, as a filter on the way does. */
export async function startMetadataService(
  values: Readonly<Record<string, string>>,
  isSilent = false,
): Promise<MetadataService> {
  const asked: string[] = []
  const server = createServer(({ method, url = '', headers }, response) => {
    if (isSilent) return
    const answer = (code: number, text = '') => response.writeHead(code).end(text)
    if (url === '/latest/api/token') {
      const seconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds'])
      if (method !== 'PUT') return answer(405)
      return seconds >= 1 && seconds <= 21_600 ? answer(200, 'SESSION') : answer(400)
    }
    if (headers['x-aws-ec2-metadata-token'] !== 'SESSION') return answer(401)
    asked.push(url)
    const value = values[url.replace('/latest/meta-data/', '')]
    return value === undefined ? answer(404) : answer(200, value)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
