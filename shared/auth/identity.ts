/** The caller and the request: types shared by authentication, authorisation and the api. */

export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
  /** A node's token is bound to the uid of its Node. */
  readonly nodeUid?: string
  /** Id of the token, for rate limits and revocation; never the token itself. */
  readonly tokenId?: string
  /** When that token was issued: before it is renewed, the issuer checks whether it was revoked. */
  readonly issuedAtSeconds?: number
}

/** One request as an authoriser sees it: either a resource or a path. */
export interface Attributes {
  /** One of Kubernetes' verbs for a resource; for paths the lower-case method. */
  readonly verb: string
  readonly group: string
  /** Plural; empty for a non-resource path. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  /** Decoded selectors of a list or watch: a node may list only what it narrows to itself. */
  readonly fieldSelector?: Readonly<Record<string, string>>
  /**
   * Is the requested object bound to the calling node? The api knows after reading it: see
   * `asksForRelation`. Absent means unknown, which denies a pod that is requested by name.
   */
  readonly related?: boolean
}

/** `reason` is added to Kubernetes' sentence (`User … cannot …`); often empty. */
type Verdict = { readonly kind: 'allowed' } | { readonly kind: 'denied'; readonly reason: string }

export type Authenticated =
  | { readonly kind: 'known'; readonly identity: Identity }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'refused' }

export interface Authenticator {
  /**
   * `authorization` is the whole header, absent when there was none. Never throws for a bad token.
   */
  authenticate(authorization: string | undefined, nowMs: number): Promise<Authenticated>
}

export interface Authorizer {
  authorize(identity: Identity, attributes: Attributes): Verdict
}
