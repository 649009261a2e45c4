/** What does a client do to a lease, and how is that said in HTTP? */
import type { Answered } from '../local-system/https-client.ts'
import type { Rng } from '../simulation/rng.ts'
import { type Call, LEASE_SECONDS, type Seen } from './history.ts'
import type { HttpCall, Workload } from './workload.ts'

const ROUTE = '/apis/coordination.k8s.io/v1/namespaces'

export const leaseWorkload: Workload = { choose, send, seenIn }

function choose(rng: Rng, me: string, token: string, known: Seen | 'missing' | undefined): Call {
  if (known === undefined) return { do: 'read' }
  if (known === 'missing') return birth(rng, me, token)
  const { version, uid } = known
  const mine = { token, holder: me }
  const draw = rng.random()
  // Anyone may break a lock by deleting it; rarely, or no lease would live long enough to be taken.
  if (draw < 0.03) return rng.chance(0.5) ? { do: 'delete' } : { do: 'delete', version }
  if (draw < 0.06) return { do: 'patch', token }
  if (known.holder === me) {
    if (draw < 0.42) return { do: 'put', ...mine, version, uid }
    if (draw < 0.66) return { do: 'patch', ...mine }
    if (draw < 0.74) return { do: 'patch', ...mine, version }
    if (draw < 0.82) return { do: 'put', token, holder: '', version, uid }
    if (draw < 0.88) return { do: 'patch', token, holder: '' }
    return { do: 'read' }
  }
  // A free lease is raced for; a held one is mostly watched, and claimed now and then.
  const eagerness = known.holder ? 0.3 : 0.9
  if (!rng.chance(eagerness)) return { do: 'read' }
  if (draw < 0.5) return { do: 'put', ...mine, version, ...(rng.chance(0.7) && { uid }) }
  return { do: 'patch', ...mine, ...(rng.chance(0.3) && { version }) }
}

function birth(rng: Rng, me: string, token: string): Call {
  if (rng.chance(0.2)) return { do: 'read' }
  return { do: rng.chance(0.7) ? 'create' : 'put', token, holder: me }
}

function send(place: string, name: string, call: Call): HttpCall {
  const { version, uid, token: renewTime, holder: holderIdentity } = call
  const collection = `${ROUTE}/${place}/leases`
  const path = `${collection}/${name}`
  const spec = { holderIdentity, renewTime, leaseDurationSeconds: LEASE_SECONDS }
  const resourceVersion = version === undefined ? undefined : String(version)
  const metadata = { name, namespace: place, resourceVersion, uid }
  const whole = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
  switch (call.do) {
    case 'create':
      return { method: 'POST', path: collection, body: whole }
    case 'put':
      return { method: 'PUT', path, body: whole }
    case 'patch': {
      const body = { ...(resourceVersion && { metadata: { resourceVersion } }), spec }
      return { method: 'PATCH', path, body, type: 'application/merge-patch+json' }
    }
    case 'delete':
      return { method: 'DELETE', path, body: { preconditions: { resourceVersion } } }
    default:
      return { method: 'GET', path }
  }
}

function seenIn({ metadata, spec = {} }: Answered['body']): Seen {
  return {
    version: Number(metadata.resourceVersion),
    uid: metadata.uid,
    token: spec.renewTime ?? '',
    holder: spec.holderIdentity ?? '',
    transitions: spec.leaseTransitions ?? 0,
  }
}
