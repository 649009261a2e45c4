/**
 * Where a list continues: the last key shown and the version of its first page. Opaque to clients,
 * never expires.
 */
import { badRequest } from '../../../shared/kube/status-error.ts'
import type { Key } from '../../../shared/store/ports.ts'

interface Continue {
  readonly after: Key
  readonly version: number
}

const MAX_TOKEN_LENGTH = 2_048

export function encodeContinue({ after, version }: Continue): string {
  const text = JSON.stringify([1, version, after.namespace, after.name])
  return Buffer.from(text).toString('base64url')
}

export function decodeContinue(token: string): Continue {
  const fields = token.length > MAX_TOKEN_LENGTH ? undefined : parse(token)
  if (!Array.isArray(fields) || fields.length !== 4) throw malformed()
  const [form, version, namespace, name] = fields as unknown[]
  if (form !== 1 || !Number.isSafeInteger(version) || (version as number) < 0) throw malformed()
  if (typeof namespace !== 'string' || typeof name !== 'string' || name === '') throw malformed()
  return { after: { namespace, name }, version: version as number }
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const malformed = () => badRequest('continue key is not valid: use the one from the last answer')
