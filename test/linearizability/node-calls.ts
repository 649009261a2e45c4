/**
 * What does a client do to a Node, and how is that said in HTTP? An annotation is the register that
 * writes replace, a list in the status is what patches without a version append to, and a label
 * counts by a patch that tests the old number.
 */
import type { Answered } from '../local-system/https-client.ts'
import type { Rng } from '../simulation/rng.ts'
import type { Call, Seen } from './history.ts'
import type { HttpCall, Workload } from './workload.ts'

const ROUTE = '/api/v1/nodes'
const ANNOTATION = 'linearizability.test/token'
const LABEL = 'linearizability.test/count'
const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
/** Every answer holds the list; a PUT of the status shortens it. */
const LONG_LIST = 40

export const nodeWorkload: Workload = { choose, send, seenIn }

function choose(rng: Rng, _me: string, token: string, known: Seen | 'missing' | undefined): Call {
  if (known === undefined) return { do: 'read' }
  if (known === 'missing') return rng.chance(0.8) ? { do: 'create', token } : { do: 'read' }
  const { version, uid, list = [], count = 0 } = known
  if (list.length > LONG_LIST) return { do: 'putStatus', token, version, from: count }
  const draw = rng.random()
  if (draw < 0.2) return { do: 'put', token, version, from: count }
  if (draw < 0.3) return { do: 'putStatus', token, version, uid, from: count }
  if (draw < 0.55) return { do: 'append', token }
  if (draw < 0.68) return { do: 'patch', token }
  if (draw < 0.76) return { do: 'patch', token, version }
  if (draw < 0.84) return { do: 'count', token, from: count }
  if (draw < 0.86) return { do: 'delete' }
  if (draw < 0.88) return { do: 'delete', version }
  return { do: 'read' }
}

function send(_place: string, name: string, call: Call): HttpCall {
  const { version, uid, token = '', from = 0 } = call
  const path = `${ROUTE}/${name}`
  const resourceVersion = version === undefined ? undefined : String(version)
  const annotations = { [ANNOTATION]: token }
  const metadata = { name, resourceVersion, uid, annotations, labels: { [LABEL]: String(from) } }
  const whole = { apiVersion: 'v1', kind: 'Node', metadata, status: { volumesInUse: [token] } }
  switch (call.do) {
    case 'create':
      return { method: 'POST', path: ROUTE, body: whole }
    case 'put':
      return { method: 'PUT', path, body: whole }
    case 'putStatus':
      return { method: 'PUT', path: `${path}/status`, body: whole }
    case 'patch':
      return {
        method: 'PATCH',
        path,
        body: { metadata: { annotations, ...(resourceVersion && { resourceVersion }) } },
        type: MERGE_PATCH,
      }
    case 'append': {
      const body = [{ op: 'add', path: '/status/volumesInUse/-', value: token }]
      return { method: 'PATCH', path: `${path}/status`, body, type: JSON_PATCH }
    }
    case 'count':
      return { method: 'PATCH', path, body: countPatch(from, token), type: JSON_PATCH }
    case 'delete':
      return { method: 'DELETE', path, body: { preconditions: { resourceVersion } } }
    default:
      return { method: 'GET', path }
  }
}

function countPatch(from: number, token: string): object {
  const label = `/metadata/labels/${pointer(LABEL)}`
  return [
    { op: 'test', path: label, value: String(from) },
    { op: 'replace', path: label, value: String(from + 1) },
    { op: 'replace', path: `/metadata/annotations/${pointer(ANNOTATION)}`, value: token },
  ]
}

const pointer = (name: string) => name.replaceAll('/', '~1')

function seenIn({ metadata, status = {} }: Answered['body']): Seen {
  return {
    version: Number(metadata.resourceVersion),
    uid: metadata.uid,
    token: metadata.annotations?.[ANNOTATION] ?? '',
    list: status.volumesInUse ?? [],
    count: Number(metadata.labels?.[LABEL] ?? 0),
  }
}
