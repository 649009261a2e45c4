/** The policies of the functions' roles, as CloudFormation filled them in. */
import { callLambda } from '../../local/emulators/emulated-aws.ts'
import type { Statement } from './iam.ts'

export async function rolePolicies(endpoint: string, functionName: string) {
  const response = await callLambda(endpoint, `${functionName}/configuration`)
  const { Role } = (await response.json()) as { readonly Role: string }
  const role = Role.split('/').at(-1) ?? ''
  const names = tags(await iam(endpoint, 'ListRolePolicies', { RoleName: role }), 'member')
  const statements: Statement[] = []
  for (const PolicyName of names) {
    const xml = await iam(endpoint, 'GetRolePolicy', { RoleName: role, PolicyName })
    const [document = '{}'] = tags(xml, 'PolicyDocument')
    statements.push(...(JSON.parse(plain(document)) as { Statement: Statement[] }).Statement)
  }
  return statements
}

async function iam(endpoint: string, Action: string, input: Record<string, string>) {
  const scope = 'test/20260101/us-east-1/iam/aws4_request'
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`
  const body = new URLSearchParams({ Action, Version: '2010-05-08', ...input })
  const response = await fetch(endpoint, { method: 'POST', body, headers: { authorization } })
  return await response.text()
}

const tags = (xml: string, tag: string) =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text = '']) => text)

const plain = (text: string) =>
  text.startsWith('%') ? decodeURIComponent(text) : text.replaceAll('&quot;', '"')
