/**
 * Where does an evicted pod go? An example, not a scheduler: it makes the pod anew from the template
 * in its annotation and binds it to a Ready node of another zone that its selector and tolerations
 * allow. An event may come twice: the new pod's name follows from the old one's uid, and a pod is
 * bound only once, so that a repeat changes nothing.
 */
import { fingerprint } from '../../shared/kube/fnv.ts'
import type { Node, Pod, Taint } from '../../shared/kube/objects.ts'
import { tolerates } from '../../shared/lifecycle/taints/tolerations.ts'

/** JSON with `labels` and `spec` of the pods that follow. */
export const TEMPLATE = 'example.leasehold.dev/template'
const SCHEDULER = 'example-reschedule'
const ZONE = 'topology.kubernetes.io/zone'

interface Response {
  readonly code: number
  readonly body?: unknown
}

export interface Api {
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Response>
}

/** The parts of a PodEvicted event that are read (docs/events.md). */
export interface Eviction {
  readonly object: { readonly name: string; readonly namespace?: string; readonly uid?: string }
  readonly change: { readonly node: string }
}

export type Moved =
  | { readonly kind: 'moved'; readonly pod: string; readonly node: string }
  /** An earlier delivery of the event has done it. */
  | { readonly kind: 'already'; readonly pod: string }
  /** Nothing to do, now or later. */
  | { readonly kind: 'left'; readonly why: string }
  /** No node may take it now: the event is worth another try. */
  | { readonly kind: 'waiting'; readonly why: string }

interface PodTemplate {
  readonly labels?: Readonly<Record<string, string>>
  readonly spec: NonNullable<Pod['spec']>
}

export async function reschedule(api: Api, { object, change }: Eviction): Promise<Moved> {
  const { name, namespace = 'default', uid = '' } = object
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const found = await api.send('GET', `${pods}/${name}`)
  const old = found.code === 200 ? (found.body as Pod) : undefined
  if (old?.metadata.uid !== uid) return { kind: 'left', why: `pod ${name} is gone already` }
  const template = templateOf(old)
  if (!template) return { kind: 'left', why: `pod ${name} has no template` }

  const { body } = need(await api.send('GET', '/api/v1/nodes'), [200])
  const nodes = (body as { readonly items: readonly Node[] }).items
  const node = chooseNode(nodes, template.spec, { from: change.node, seed: uid })
  if (!node) return { kind: 'waiting', why: `no node of another zone can take pod ${name}` }

  const next = nextName(name, uid)
  need(await api.send('POST', pods, podFrom(template, next, namespace)), [201, 409])
  const target = { apiVersion: 'v1', kind: 'Node', name: node }
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: next }, target }
  const bound = need(await api.send('POST', `${pods}/${next}/binding`, binding), [201, 409])
  return bound.code === 201 ? { kind: 'moved', pod: next, node } : { kind: 'already', pod: next }
}

function need(response: Response, codes: readonly number[]): Response {
  if (codes.includes(response.code)) return response
  throw new Error(`the service answers ${response.code}: ${JSON.stringify(response.body)}`)
}

/** Without a node: the binding names it. */
function templateOf(pod: Pod): PodTemplate | undefined {
  try {
    const { labels, spec } = JSON.parse(pod.metadata.annotations?.[TEMPLATE] ?? '')
    const { nodeName: _bound, ...rest } = spec
    return { labels, spec: rest }
  } catch {
    return undefined
  }
}

/** `web` becomes `web-m1a2b3c4d`, and that becomes `web-m5e6f7a8b`. */
const nextName = (name: string, uid: string) =>
  `${name.replace(/-m[0-9a-f]{8}$/, '')}-m${fingerprint(uid)}`

const podFrom = (template: PodTemplate, name: string, namespace: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    ...(template.labels && { labels: template.labels }),
    // So that it can be moved again.
    annotations: { [TEMPLATE]: JSON.stringify(template) },
  },
  // Named, so that nothing else takes it for a pod that waits in vain.
  spec: { ...template.spec, schedulerName: SCHEDULER },
})

interface Wanted {
  /** The node it was on: its zone is avoided. */
  readonly from: string
  /** Spreads pods over the nodes that can take them. */
  readonly seed: string
}

export function chooseNode(
  nodes: readonly Node[],
  spec: PodTemplate['spec'],
  { from, seed }: Wanted,
): string | undefined {
  const zoneOf = ({ metadata }: Node) => metadata.labels?.[ZONE]
  const lost = nodes.find(({ metadata }) => metadata.name === from)
  const fits = nodes.filter(
    (node) => (!lost || zoneOf(node) !== zoneOf(lost)) && isReady(node) && accepts(node, spec),
  )
  const at = fits.length === 0 ? 0 : Number.parseInt(fingerprint(seed), 16) % fits.length
  return fits[at]?.metadata.name
}

const isReady = ({ status, spec }: Node) =>
  spec?.unschedulable !== true &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

function accepts({ metadata, spec: { taints = [] } = {} }: Node, spec: PodTemplate['spec']) {
  const isTolerated = (taint: Taint) =>
    taint.effect === 'PreferNoSchedule' ||
    (spec.tolerations ?? []).some((one) => tolerates(one, taint, { comparisonOperators: false }))
  const selector = Object.entries(spec.nodeSelector ?? {})
  return (
    selector.every(([key, value]) => metadata.labels?.[key] === value) && taints.every(isTolerated)
  )
}
