/**
 * What a caller asks about itself: may I, what may I, who am I. Decided by the authoriser that
 * decides about requests.
 */
import type { Hono } from 'hono'
import { rulesFor } from '../../../shared/auth/access/authorizer.ts'
import type { Attributes, Identity } from '../../../shared/auth/identity.ts'
import { type Review, reviews } from '../../../shared/kube/review/resource.ts'
import { badRequest, forbidden, notAcceptable } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { correctedNowMs } from '../../../shared/lifecycle/clock-skew.ts'
import type { ApiContext } from '../deps.ts'
import { denial, identifyCaller } from '../request/access.ts'
import { decodeRequest } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import { respondWithJson } from '../response/object-response.ts'
import { attributesIn, type ReviewedAttributes } from './reviewed-attributes.ts'

type Reviewer = (api: ApiContext, identity: Identity, spec: Spec) => object

interface Spec extends ReviewedAttributes {
  readonly namespace?: string
}

const REVIEWERS: Readonly<Record<string, Reviewer>> = {
  SelfSubjectAccessReview: (api, identity, spec) => ({
    allowed: isAllowed(api, identity, attributesIn(spec)),
  }),
  SelfSubjectRulesReview: (_api, identity, { namespace = '' }) => {
    if (!namespace) throw badRequest('no namespace on request')
    return rulesFor(identity, namespace)
  },
  SelfSubjectReview: (_api, { user, groups }) => ({ userInfo: { username: user, groups } }),
}

export function mountReviews(app: Hono, api: ApiContext): void {
  for (const review of reviews) {
    app.post(`/apis/${review.group}/v1/${review.plural}`, ({ req }) =>
      respondToReview(api, review, req.raw),
    )
  }
}

async function respondToReview(api: ApiContext, review: Review, raw: Request): Promise<Response> {
  const nowMs = correctedNowMs(api.clock, api.store.skewMs)
  const identity = await identifyCaller(api, raw, nowMs)
  const { pathname: path, searchParams } = new URL(raw.url)
  const { fieldValidation } = writeOptions(searchParams, 'CreateOptions')
  mayAsk(api, review, identity, path)
  checkForm(raw.headers.get('accept') ?? '')

  const apiVersion = `${review.group}/v1`
  const { object, warnings } = await decodeRequest(
    { api, raw },
    {
      schema: review.schema,
      expected: { apiVersion, kind: review.kind },
      fieldValidation,
    },
  )
  const status = REVIEWERS[review.kind]!(api, identity, (object.spec ?? {}) as Spec)
  const metadata = { creationTimestamp: formatTime(nowMs) }
  const body = { kind: review.kind, apiVersion, metadata, spec: object.spec, status }
  return await respondWithJson({ raw }, body, { status: 201, warnings })
}

/** A review is no stored object: there is no table of it, and no metadata alone. */
function checkForm(accept: string): void {
  const forms = accept.split(',').filter((form) => form.trim() !== '')
  if (forms.length === 0 || forms.some((form) => !/;\s*as=/.test(form))) return
  throw notAcceptable('only the following media types are accepted: application/json')
}

function mayAsk(api: ApiContext, review: Review, identity: Identity, path: string): void {
  const { group, plural } = review
  const nothing = { subresource: '', namespace: '', name: '' }
  const attributes = { ...nothing, verb: 'create', group, resource: plural, path }
  const verdict = api.authorizer.authorize(identity, attributes)
  if (verdict.kind === 'denied') {
    throw forbidden(review, '', denial(identity, attributes, verdict.reason))
  }
}

const isAllowed = (api: ApiContext, identity: Identity, attributes: Attributes): boolean =>
  api.authorizer.authorize(identity, attributes).kind === 'allowed'
