/** A request for a token: what a joining host sends to become a node. */
import { field, int64, listOf, object, pointer, required, string, time } from '../schema.ts'
import { metadataField, typeFields } from './meta.ts'

const AUTHENTICATION = 'io.k8s.api.authentication.v1'

const boundObjectReferenceSchema = object(
  `${AUTHENTICATION}.BoundObjectReference`,
  'The object a token dies with.',
  {
    kind: field(1, string, 'Its kind.'),
    apiVersion: field(2, string, 'Its group and version.'),
    name: field(3, string, 'Its name.'),
    uid: field(4, string, 'Its uid.'),
  },
)

const tokenRequestSpecSchema = object(
  `${AUTHENTICATION}.TokenRequestSpec`,
  'What kind of token is wanted.',
  {
    audiences: field(1, listOf(string), 'Who is to accept the token.'),
    boundObjectRef: pointer(3, boundObjectReferenceSchema, 'The object the token dies with.'),
    expirationSeconds: pointer(4, int64, 'How long it should live; the server may shorten it.'),
  },
)

const tokenRequestStatusSchema = object(`${AUTHENTICATION}.TokenRequestStatus`, 'The token.', {
  token: required(1, string, 'The token itself.'),
  expirationTimestamp: required(2, time, 'When it stops being accepted.'),
})

export const tokenRequestSchema = object(`${AUTHENTICATION}.TokenRequest`, 'Asks for a token.', {
  ...typeFields,
  metadata: metadataField,
  spec: required(2, tokenRequestSpecSchema, 'What kind of token is wanted.'),
  status: field(3, tokenRequestStatusSchema, 'The token; set by the server.'),
})
