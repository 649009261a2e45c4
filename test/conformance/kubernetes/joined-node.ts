/** What a host has after joining: its Node, and the token that is bound to it. */

import { type HttpsClient, httpsClient } from '../../local-system/https-client.ts'
import type { Access } from '../../local-system/in-process.ts'

export async function joinAs(access: Access, name: string): Promise<string> {
  const { server, caPem, http } = access
  const made = await http.call('POST', '/apis/leasehold.dev/v1/bootstraptokens', { body: {} })
  const as = (token: string) => httpsClient({ server, caPem, token })
  const joining = await tokenFrom(as(made.body.status.token), name)
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } }
  const host = as(joining)
  const { status, text } = await host.call('POST', '/api/v1/nodes', { body: node })
  if (status !== 201) throw new Error(text)
  return await tokenFrom(host, name)
}

async function tokenFrom(http: HttpsClient, name: string): Promise<string> {
  const path = `/apis/leasehold.dev/v1/nodes/${name}/token`
  const { status, body, text } = await http.call('POST', path, { body: {} })
  http.close()
  if (status !== 201) throw new Error(text)
  return body.status.token
}
