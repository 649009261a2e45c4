/** Refusals: one error class whose body is a Kubernetes Status, and a constructor per case. */

interface StatusCause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: Readonly<Record<string, string>>
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

/** A message may quote what a client sent, which may be as long as a body. */
const MAX_MESSAGE = 100_000
/** The longest legal name. */
const MAX_NAME = 253

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text)

const clipped = (details: StatusDetails): StatusDetails =>
  details.name === undefined ? details : { ...details, name: clip(details.name, MAX_NAME) }

/**
 * Why the service itself had to refuse a request: its database or keys were throttled, out of reach,
 * left open what became of a write, turned us away, or hold what cannot be read. What a caller brings
 * about (size, contention, an aborted body, its rate) is none of these.
 */
export type ServiceFault = 'throttled' | 'unreached' | 'unclear' | 'denied' | 'unreadable'

export class StatusError extends Error {
  readonly body: Status
  /** Set when the refusal is not the caller's doing. Never sent to the client. */
  readonly fault?: ServiceFault

  constructor(code: number, reason: string, text: string, details?: StatusDetails) {
    const message = clip(text, MAX_MESSAGE)
    super(message)
    this.name = 'StatusError'
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details: clipped(details) }),
      code,
    }
  }

  get code(): number {
    return this.body.code ?? 500
  }
}

/** What a message names: the plural resource and its group (`leases`, `coordination.k8s.io`). */
export interface NamedResource {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

const qualified = (word: string, group: string) => (group ? `${word}.${group}` : word)
const detailsOf = (of: NamedResource, name: string): StatusDetails => ({
  name,
  ...(of.group && { group: of.group }),
  kind: of.plural,
})

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message)

export const unauthorized = () => new StatusError(401, 'Unauthorized', 'Unauthorized')

export const notFound = (of: NamedResource, name: string) =>
  new StatusError(
    404,
    'NotFound',
    `${qualified(of.plural, of.group)} "${name}" not found`,
    detailsOf(of, name),
  )

/** The path names no resource, as opposed to an object that does not exist. */
export const noSuchResource = () =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export const methodNotAllowed = () =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )

export const notAcceptable = (message: string) => new StatusError(406, 'NotAcceptable', message)

export const alreadyExists = (of: NamedResource, name: string) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(of.plural, of.group)} "${name}" already exists`,
    detailsOf(of, name),
  )

export const conflict = (of: NamedResource, name: string, why: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of.plural, of.group)} "${name}": ${why}`,
    detailsOf(of, name),
  )

export const modified = (of: NamedResource, name: string) =>
  conflict(
    of,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  )

export const forbidden = (
  of: NamedResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
) =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(of.plural, of.group)} ${name ? `"${name}" ` : ''}is forbidden: ${why}`,
    { ...detailsOf(of, name), ...(causes && { causes }) },
  )

export const expired = (message: string) => new StatusError(410, 'Expired', message)

export const tooLarge = (message: string) => new StatusError(413, 'RequestEntityTooLarge', message)

export const unsupportedMediaType = (message: string) =>
  new StatusError(415, 'UnsupportedMediaType', message)

export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds })

/** The same answer where not the caller but our database does too much. */
export const throttled = (message: string, retryAfterSeconds: number) =>
  withFault(tooManyRequests(message, retryAfterSeconds), 'throttled')

export const unavailable = (message: string, retryAfterSeconds: number) =>
  withFault(new StatusError(503, 'ServiceUnavailable', message, { retryAfterSeconds }), 'unreached')

/**
 * As kube-apiserver's timeout. Without Retry-After: client libraries would send the write again by
 * themselves.
 */
export const writeTimeout = () => withFault(new StatusError(504, 'Timeout', UNCLEAR, {}), 'unclear')

const UNCLEAR =
  'the database did not answer in time: this write may have happened or not; read before you repeat it'

export const withFault = <E extends Error>(error: E, fault: ServiceFault): E =>
  Object.assign(error, { fault })

/** Undefined when the refusal was the caller's doing, or a mistake of ours in serving it. */
export const serviceFaultOf = (error: unknown): ServiceFault | undefined =>
  (error as { readonly fault?: ServiceFault } | undefined)?.fault

export const internal = (message: string) => new StatusError(500, 'InternalError', message)

/** One thing wrong with one field; `type` is Kubernetes' word without its `FieldValue` prefix. */
export interface FieldError {
  readonly type:
    | 'Required'
    | 'Invalid'
    | 'NotSupported'
    | 'Forbidden'
    | 'Duplicate'
    | 'TooLong'
    | 'InternalError'
  readonly field: string
  /** Complete, as the bullet kubectl prints: `Invalid value: 0: must be greater than 0`. */
  readonly message: string
}

/** Enough for a person to read; each is told twice, as text and as a cause. */
const MAX_ERRORS = 100

export function invalid(of: NamedResource, name: string, all: readonly FieldError[]): StatusError {
  const errors = all.slice(0, MAX_ERRORS)
  const texts = errors.map((error) => `${error.field}: ${error.message}`)
  const more = all.length - errors.length
  if (more > 0) texts.push(`and ${more} more`)
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new StatusError(
    422,
    'Invalid',
    `${qualified(of.kind, of.group)} "${name}" is invalid: ${list}`,
    {
      name,
      ...(of.group && { group: of.group }),
      kind: of.kind,
      causes: errors.map(({ type, field, message }) => ({
        // The one word that Kubernetes leaves without the prefix.
        reason: type === 'InternalError' ? type : `FieldValue${type}`,
        message,
        field,
      })),
    },
  )
}
