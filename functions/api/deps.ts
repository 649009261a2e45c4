/**
 * Everything the api needs from outside, so that the same app runs in Lambda, locally and in tests.
 */
import type { AdmissionRequest } from '../../shared/auth/admission-verdict.ts'
import type { Authenticator, Authorizer, Identity } from '../../shared/auth/identity.ts'
import type { TolerationDefaults } from '../../shared/kube/resources/default-tolerations.ts'
import type { BeatRhythm } from '../../shared/lifecycle/beat-rhythm.ts'
import type { Store } from '../../shared/store/ports.ts'
import { builtInNamespaces } from './namespaces/built-in.ts'
import type { ResourceRequest } from './request/resource-request.ts'
import type { ResourceTarget } from './request/target.ts'

export interface ApiDeps {
  readonly store: Store
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** In [0, 1), for generated names. */
  readonly random: () => number
  readonly uuid: () => string
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** NodeRestriction and the like: the last word of policy before a write. Throws a StatusError. */
  readonly admission?: (request: AdmissionRequest) => Promise<void>
  /** Seconds until this caller may try again; undefined lets the request in. */
  readonly limiter?: (identity: Identity, nowMs: number) => number | undefined
  readonly settings?: Partial<ApiSettings>
  readonly log: (entry: LogEntry) => void
  /** Serves `watch=true`; without it a watch is 405. */
  readonly watch?: (request: ResourceRequest) => Response | Promise<Response>
  /** Metrics, dashboard files, the token endpoint: what others mount beside the resources. */
  readonly routes?: readonly ExtraRoute[]
  /** How a host should beat whose Node has this grace of its own, or none; undefined: as usual. */
  readonly beatRhythm?: (ownGraceMs: number | undefined) => BeatRhythm | undefined
  /** A beat was refused or failed for our own reasons, so silence says nothing about its host. */
  readonly onOwnFailure?: (target: ResourceTarget) => void
}

export interface ApiSettings {
  readonly bodyLimitBytes: number
  /** Set behind an ingress that buffers: a list that would not fit is refused, never cut. */
  readonly responseLimitBytes: number | undefined
  readonly readyBudgetMs: number
  /** Of pods that say nothing about hosts that are not ready; absent: as in Kubernetes. */
  readonly tolerations?: TolerationDefaults
}

export const DEFAULT_SETTINGS: ApiSettings = {
  // What kube-apiserver takes.
  bodyLimitBytes: 3 * 1024 * 1024,
  responseLimitBytes: undefined,
  // Probes give up after a second or so; an answer after that helps nobody.
  readyBudgetMs: 900,
}

export interface LogEntry {
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  /** Handed to the client too, so that a report can be matched with its log line. */
  readonly id?: string
  readonly method?: string
  readonly path?: string
  readonly error?: unknown
}

export interface ExtraRoute {
  /** A Hono pattern such as `/metrics` or `/dashboard/*`. */
  readonly path: string
  /**
   * `open` answers anybody and does its own checks; `guarded` needs a caller who may use that path.
   */
  readonly access: 'open' | 'guarded'
  readonly handle: (
    request: Request,
    identity: Identity | undefined,
  ) => Response | Promise<Response>
}

/** What a handler gets: the dependencies with every setting filled in. */
export interface Api extends ApiDeps {
  readonly settings: ApiSettings
  /** Makes sure that the namespaces there must always be are written down. */
  readonly builtInNamespaces: () => Promise<void>
}

export const completeDeps = (deps: ApiDeps): Api => ({
  ...deps,
  settings: { ...DEFAULT_SETTINGS, ...deps.settings },
  builtInNamespaces: builtInNamespaces(deps),
})
