/**
 * One line in the log for every write by a person and for every refusal of an identity (401, 403).
 * Beats and reads that are served leave none.
 */
import { auditEvent, isPerson, type ObjectRef } from '../../shared/auth/audit-event.ts'
import { type Bucket, limitAt, take } from '../../shared/auth/rate-limit.ts'
import { StatusError } from '../../shared/kube/status-error.ts'
import type { ApiContext } from './deps.ts'
import { callerOf } from './request/access.ts'
import type { ApiRequest } from './request/api-request.ts'
import { parseTarget } from './request/target.ts'

/** Undefined, without waiting, for what leaves no line. */
type Audit = (request: ApiRequest, code: number) => Promise<void> | undefined

/** Lines about callers that are not identified, whom no rate limit of an identity slows down. */
const STRANGERS = limitAt(1)

export function createAudit({ clock, log }: Pick<ApiContext, 'clock' | 'log'>): Audit {
  let strangers: Bucket | undefined
  let omitted = 0

  const mayWrite = (isStranger: boolean, nowMs: number): boolean => {
    if (!isStranger) return true
    const taken = take(strangers, STRANGERS, nowMs)
    if (taken.kind === 'taken') strangers = taken.bucket
    else omitted += 1
    return taken.kind === 'taken'
  }

  return (request, code) => {
    const caller = callerOf(request)
    const isRefusal = code === 401 || code === 403
    if (!isRefusal && !(caller && isWrite(request) && isPerson(caller.identity))) return undefined
    const nowMs = clock()
    if (!mayWrite(!caller, nowMs)) return undefined
    const left = caller ? 0 : omitted
    omitted -= left
    const { pathname: path, searchParams } = new URL(request.url)
    return targetIn(request, path, caller?.createdName).then((target) => {
      const isDryRun = searchParams.has('dryRun')
      const { identity } = caller ?? {}
      const uri = caller?.createdName ? `${path}/${caller.createdName}` : path
      const audited = { ...target, path: uri, isDryRun, code, nowMs, omitted: left }
      const audit = auditEvent({ ...audited, ...(identity && { identity }) })
      log({ level: 'info', message: 'audit', audit })
    })
  }
}

/** What a caller asks about itself is sent by POST and changes nothing. */
const REVIEWS = /^https?:\/\/[^/]+\/apis\/auth(entication|orization)\.k8s\.io\//

const isWrite = ({ method, url }: ApiRequest): boolean =>
  method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS' && !REVIEWS.test(url)

interface AuditedTarget {
  readonly verb: string
  readonly objectRef?: ObjectRef
}

async function targetIn(
  { method }: ApiRequest,
  path: string,
  createdName: string | undefined,
): Promise<AuditedTarget> {
  const target = await parseTarget(method, path, false).catch((error: unknown) => {
    if (error instanceof StatusError) return undefined
    throw error
  })
  if (!target) return { verb: method.toLowerCase() }
  const { verb, resource, subresource, key } = target
  const objectRef = {
    apiGroup: resource.group,
    resource: resource.plural,
    subresource: subresource?.name,
    namespace: key.namespace,
    name: key.name || createdName,
  }
  return { verb, objectRef }
}
