/**
 * Who is calling, and what do they want? The vocabulary shared by authentication, authorisation and
 * the api.
 */

export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
  /** A node's token is bound to the uid its Node had when the token was issued. */
  readonly nodeUid?: string
  /** Id of the token, for rate limits and revocation; never the token itself. */
  readonly tokenId?: string
  /** When that token was issued: whoever hands out its successor asks whether it was revoked. */
  readonly issuedAtSeconds?: number
}

/** One request as an authoriser sees it: either a resource or a path. */
export interface Attributes {
  /** get, list, watch, create, update, patch, delete; for paths the lower-case method. */
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
   * Is the object asked for bound to the calling node? Only the caller can know, having read it:
   * see `asksForRelation`. Absent means unknown, which for a pod asked for by name means no.
   */
  readonly related?: boolean
}

/** `reason` is what there is to add to Kubernetes' sentence (`User … cannot …`); often empty. */
export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly reason: string }

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
