/**
 * What a caller asks about itself: may I, what may I, who am I. Answered by the authoriser that
 * decides.
 */
import type { Hono } from 'hono'
import { rulesFor } from '../../../shared/auth/authorizer.ts'
import type { Attributes, Identity } from '../../../shared/auth/identity.ts'
import { decodeBody } from '../../../shared/kube/decode.ts'
import { type Review, reviews } from '../../../shared/kube/reviews.ts'
import { badRequest, forbidden } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { answerPlain } from '../answer/object-answer.ts'
import type { Api } from '../deps.ts'
import { nowOf } from '../now.ts'
import { denial, identify } from '../request/access.ts'
import { readBody } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import { attributesIn, type ReviewedAttributes } from './reviewed-attributes.ts'

type Answer = (api: Api, identity: Identity, spec: Spec) => object

interface Spec extends ReviewedAttributes {
  readonly namespace?: string
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  SelfSubjectAccessReview: (api, identity, spec) => ({
    allowed: isAllowed(api, identity, attributesIn(spec)),
  }),
  SelfSubjectRulesReview: (_api, identity, { namespace = '' }) => {
    if (!namespace) throw badRequest('no namespace on request')
    return rulesFor(identity, namespace)
  },
  SelfSubjectReview: (_api, { user, groups }) => ({ userInfo: { username: user, groups } }),
}

export function mountReviews(app: Hono, api: Api): void {
  for (const review of reviews) {
    app.post(`/apis/${review.group}/v1/${review.plural}`, ({ req }) => answer(api, review, req.raw))
  }
}

async function answer(api: Api, review: Review, raw: Request): Promise<Response> {
  const nowMs = nowOf(api)
  const identity = await identify(api, raw, nowMs)
  const { pathname: path, searchParams } = new URL(raw.url)
  const { fieldValidation } = writeOptions(searchParams, 'CreateOptions')
  mayAsk(api, review, identity, path)

  const apiVersion = `${review.group}/v1`
  const { object, warnings } = await decodeBody({
    bytes: await readBody(raw, api.settings.bodyLimitBytes),
    contentType: raw.headers.get('content-type') ?? undefined,
    schema: review.schema,
    expected: { apiVersion, kind: review.kind },
    fieldValidation,
  })
  const status = ANSWERS[review.kind]!(api, identity, (object.spec ?? {}) as Spec)
  const metadata = { creationTimestamp: formatTime(nowMs) }
  const body = { kind: review.kind, apiVersion, metadata, spec: object.spec, status }
  return await answerPlain({ raw }, body, { status: 201, warnings })
}

function mayAsk(api: Api, review: Review, identity: Identity, path: string): void {
  const { group, plural } = review
  const nothing = { subresource: '', namespace: '', name: '' }
  const attributes = { ...nothing, verb: 'create', group, resource: plural, path }
  const verdict = api.authorizer.authorize(identity, attributes)
  if (verdict.kind === 'denied') {
    throw forbidden(review, '', denial(identity, attributes, verdict.reason))
  }
}

const isAllowed = (api: Api, identity: Identity, attributes: Attributes): boolean =>
  api.authorizer.authorize(identity, attributes).kind === 'allowed'
