/** A server that keeps one Lease and does nothing but compare and swap. */

import type { Lease, LeaseSpec } from '../../shared/kube/objects.ts'
import type { Request } from './elector.ts'
import type { ElectorAnswer } from './runner.ts'

export interface LockServer {
  stored: Lease | undefined
  readonly calls: string[]
  /** Verbs that fail next, each with its word. */
  readonly faults: [string, string][]
  handle(request: Request): ElectorAnswer
  put(spec: LeaseSpec): void
}

export function lockServer(): LockServer {
  let version = 0
  const server: LockServer = {
    stored: undefined,
    calls: [],
    faults: [],
    put(spec) {
      version++
      const metadata = { name: 'lock', uid: 'u', resourceVersion: String(version) }
      server.stored = { metadata: { ...server.stored?.metadata, ...metadata }, spec }
    },
    handle(request) {
      const [verb, word] = server.faults[0] ?? []
      const answer = verb === request.kind ? fault(word ?? '') : honest(request)
      server.calls.push(
        answer.kind === 'lease' ? request.kind : `${request.kind}:${wordOf(answer.kind)}`,
      )
      return answer
    },
  }
  return server

  function fault(word: string): ElectorAnswer {
    server.faults.shift()
    return { kind: word === 'serverError' ? 'error' : (word as 'conflict') }
  }

  function honest(request: Request): ElectorAnswer {
    const { stored } = server
    if (request.kind === 'get') return stored ? { kind: 'lease', lease: stored } : missing
    if (request.kind === 'create' && stored) return { kind: 'conflict' }
    if (request.kind === 'update') {
      // A uid in the body makes a PUT to a missing lease a conflict, not a create.
      if (!stored) return { kind: 'conflict' }
      const { resourceVersion } = request.lease.metadata
      if (resourceVersion !== stored.metadata.resourceVersion) return { kind: 'conflict' }
    }
    server.stored = { ...stored, metadata: { ...stored?.metadata, ...request.lease.metadata } }
    server.put(request.lease.spec ?? {})
    return { kind: 'lease', lease: server.stored }
  }
}

const missing = { kind: 'notFound' } as const
const wordOf = (kind: string) => (kind === 'error' ? 'serverError' : kind)
