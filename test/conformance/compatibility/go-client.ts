/**
 * What client-go sends: protobuf where the kind is spoken in it, JSON with a ContentType set
 * otherwise.
 */

import { deleteOptionsSchema } from '../../../shared/kube/meta/delete-options-schema.ts'
import { evictionSchema } from '../../../shared/kube/pod/subresource-schemas.ts'
import { speaksProtobuf } from '../../../shared/kube/protobuf/decode.ts'
import type { ObjectSchema } from '../../../shared/kube/schema.ts'
import type { HttpsClient, Sent } from '../../local-system/https-client.ts'
import { encodeProtobuf } from '../../shared/kube/protobuf/encode.ts'
import { ANNOTATED, type Attempt, type Client, readable } from './client.ts'
import { bodyOf, collectionOf, collectionPath } from './samples.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const headers = { accept: `${PROTOBUF},application/json` }

export function goClient(http: HttpsClient): Client {
  const call = async (method: string, path: string, sent: Sent = {}) => {
    const { status, text, body } = await http.call(method, path, { ...sent, headers })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return body
  }
  return {
    letter: 'G',
    verbs: {
      create: (attempt) => {
        const { resource, subresource } = attempt
        const path = subresource ? pathOf(attempt) : collectionPath(resource)
        return call('POST', path, bodyIn(schemaOf(attempt), bodyOf(attempt)))
      },
      get: (attempt) => call('GET', pathOf(attempt)),
      list: ({ resource }) =>
        call('GET', `${collectionPath(resource)}?limit=500&resourceVersion=0`),
      update: async (attempt) => {
        const object = await call('GET', pathOf(readable(attempt)))
        return call('PUT', pathOf(attempt), bodyIn(attempt.resource.schema, object))
      },
      patch: (attempt) =>
        call('PATCH', pathOf(attempt), { body: ANNOTATED, type: 'application/merge-patch+json' }),
      delete: (attempt) => call('DELETE', pathOf(attempt), bodyIn(deleteOptionsSchema, OPTIONS)),
      deletecollection: (attempt) =>
        call('DELETE', collectionOf(attempt), bodyIn(deleteOptionsSchema, OPTIONS)),
      watch: ({ resource }) => watchList(http, collectionPath(resource)),
    },
    close: () => {},
  }
}

const OPTIONS = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' }

const pathOf = ({ resource, subresource, name }: Attempt) =>
  `${collectionPath(resource)}/${name}${subresource && `/${subresource}`}`

const schemaOf = ({ resource, subresource }: Attempt) =>
  subresource === 'eviction' ? evictionSchema : resource.schema

function bodyIn(schema: ObjectSchema, object: object): Sent {
  if (!speaksProtobuf(schema)) return { body: object }
  return { body: encodeProtobuf(schema, object as Record<string, unknown>), type: PROTOBUF }
}

/**
 * As an informer of client-go begins since 0.35: everything there is, then a bookmark that says so.
 */
async function watchList(http: HttpsClient, path: string): Promise<void> {
  const query =
    'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
  const response = await http.open(`${path}?${query}`, { headers })
  let all = ''
  for await (const chunk of response) {
    all += chunk
    if (!all.includes('"k8s.io/initial-events-end":"true"')) continue
    response.destroy()
    return
  }
  throw new Error(`WatchList of ${path} ended: ${response.statusCode} ${all}`)
}
