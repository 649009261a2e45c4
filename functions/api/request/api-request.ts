/**
 * A request as the api reads it. A Lambda event has all of these parts; making a Request of them
 * would cost as much CPU as the rest of our code in a renewal.
 */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  readonly content: Uint8Array
}

export type ApiRequest = Request | PlainRequest
