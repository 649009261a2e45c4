/**
 * What the api needs from outside, so that the same code runs in Lambda, locally and in tests
 * (ApiDeps); and what it hands to each of its handlers (ApiContext, ResourceRequest).
 */
import { setTimeout } from 'node:timers/promises'
import type { AdmissionRequest } from '../../shared/auth/access/admission-verdict.ts'
import type { AuditEvent } from '../../shared/auth/audit-event.ts'
import type { Authenticator, Authorizer, Identity } from '../../shared/auth/identity.ts'
import type { RateLimiter } from '../../shared/auth/rate-limit.ts'
import type { Signer } from '../../shared/auth/tokens/signer.ts'
import type { TolerationDefaults } from '../../shared/kube/pod/default-tolerations.ts'
import type { FleetTiming } from '../../shared/lifecycle/liveness/beat-timing.ts'
import type { HolderRule } from '../../shared/lifecycle/liveness/holder.ts'
import type { Store } from '../../shared/store/ports.ts'
import { builtInNamespaces } from './namespaces/built-in.ts'
import { type NodeUids, nodeUids } from './nodes/node-uids.ts'
import type { ApiRequest } from './request/api-request.ts'
import { type FairQueue, fairQueue } from './request/fair-queue.ts'
import type { Format } from './request/options.ts'
import type { Selection } from './request/selection.ts'
import type { ResourceTarget } from './request/target.ts'

export interface ApiDeps {
  readonly store: Store
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** In [0, 1), for generated names. */
  readonly random: () => number
  readonly uuid: () => string
  /** Default: a timer. */
  readonly wait?: (ms: number) => Promise<void>
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** NodeRestriction and the like: the last word of policy before a write. Throws a StatusError. */
  readonly admission?: (request: AdmissionRequest) => Promise<void>
  /** Seconds until this caller may try again; undefined lets the request in. */
  readonly limiter?: RateLimiter
  /** Signs node tokens; without it the api issues none and has no token routes. */
  readonly nodeSigner?: () => Promise<Signer>
  /** Whether tokens of this key are still believed. */
  readonly believesKey?: (kid: string) => boolean
  readonly settings?: Partial<ApiSettings>
  readonly log: (entry: LogEntry) => void
  /** Serves `watch=true`; without it a watch is 405. */
  readonly watch?: (request: ResourceRequest) => Response | Promise<Response>
  /** Routes beside the resources: metrics, dashboard files. */
  readonly routes?: readonly ExtraRoute[]
  /** Grace and renew interval of the fleet, told to hosts where they are not the usual ones. */
  readonly fleetTiming?: FleetTiming
  /** A beat was refused for reasons of our own: the silence that follows is not its host's. */
  readonly onRefusedBeat?: (refused: RefusedBeat) => void
}

export interface RefusedBeat {
  readonly node: string
  readonly atMs: number
  /** Of the Node that the caller's token was issued for; absent for users, who have none. */
  readonly uid?: string
}

interface ApiSettings {
  readonly bodyLimitBytes: number
  /** Set behind an ingress that buffers: a list that would not fit is refused, never cut. */
  readonly responseLimitBytes: number | undefined
  readonly readyBudgetMs: number
  /** Of pods that say nothing about hosts that are not ready; absent: as in Kubernetes. */
  readonly tolerations?: TolerationDefaults
  /** Of new namespaces that do not say; absent: checked. */
  readonly leaseHolders?: HolderRule
}

const DEFAULT_SETTINGS: ApiSettings = {
  // What kube-apiserver takes.
  bodyLimitBytes: 3 * 1024 * 1024,
  responseLimitBytes: undefined,
  // Probes give up after about a second; a later response is not read.
  readyBudgetMs: 900,
}

export interface LogEntry {
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  /** Sent to the client too, so that a report can be matched with its log line. */
  readonly id?: string
  readonly method?: string
  readonly path?: string
  readonly error?: unknown
  /** Of the lines `audit`. */
  readonly audit?: AuditEvent
}

export interface ExtraRoute {
  /** A Hono pattern such as `/metrics` or `/dashboard/*`. */
  readonly path: string
  /** `open` serves every caller and does its own checks; `guarded` needs a permission. */
  readonly access: 'open' | 'guarded'
  readonly handle: (
    request: Request,
    identity: Identity | undefined,
  ) => Response | Promise<Response>
}

/** The dependencies with every setting filled in. */
export interface ApiContext extends ApiDeps {
  readonly wait: (ms: number) => Promise<void>
  readonly settings: ApiSettings
  /** Creates the built-in namespaces that are not stored yet. */
  readonly builtInNamespaces: () => Promise<void>
  /** The uid of a Node, for the token of its host. */
  readonly nodeUids: NodeUids
  /** Pages of lists wait here for their turn. */
  readonly pageReads: FairQueue
}

export const completeDeps = (deps: ApiDeps): ApiContext => ({
  wait: (ms) => setTimeout(ms),
  ...deps,
  settings: { ...DEFAULT_SETTINGS, ...deps.settings },
  builtInNamespaces: builtInNamespaces(deps),
  nodeUids: nodeUids(deps.store),
  pageReads: fairQueue(),
})

/** One request for a resource: the URL is read, the caller is known, nothing is done yet. */
export interface ResourceRequest extends ResourceTarget {
  readonly api: ApiContext
  readonly identity: Identity
  readonly raw: ApiRequest
  readonly path: string
  readonly query: URLSearchParams
  readonly format: Format
  /** Of a list or watch; everything otherwise. */
  readonly selection: Selection
  /** The one reading of the clock this request uses, corrected where the clock is known wrong. */
  readonly nowMs: number
}
