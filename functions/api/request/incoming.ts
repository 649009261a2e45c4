/**
 * A request as the api reads it. A Lambda event has all of it at hand, and making a whole Request
 * of it would cost as much as everything else in a renewal that is ours.
 */
export interface ThinRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  readonly content: Uint8Array
}

export type Incoming = Request | ThinRequest
