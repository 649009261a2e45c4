/** One node: how it is, what happens to it next, and what one can do. */
import type { Event, Lease, Node, Pod } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'
import { cellOf } from '../../shared/lifecycle/cells.ts'
import { readyOf } from '../../shared/lifecycle/conditions.ts'
import { nodeLeasePath, paths, selecting, useStatus } from '../page/fleet-status.ts'
import { Link } from '../page/link.tsx'
import { StateName } from '../page/shape.tsx'
import { useFollowed } from '../page/use-followed.ts'
import { useNow } from '../page/use-now.ts'
import { isBad } from '../state/fleet-view.ts'
import { type NodeFacts, silenceOf, zoneOf } from '../state/node-world.ts'
import { noFilter } from '../state/place.ts'
import { stateMeanings } from '../state/state-words.ts'
import { ago, clock } from '../state/words.ts'
import { LeaseBar } from './lease-bar.tsx'
import { NextSteps } from './next-steps.tsx'
import { NodeActions } from './node-actions.tsx'
import { Conditions, Facts, Taints } from './node-facts.tsx'
import { NodePods } from './node-pods.tsx'
import { Story } from './story.tsx'

/** Each is a read of one small object, or of the few that belong to one node. */
const LEASE_POLL_MS = 2_000
const PODS_POLL_MS = 2_000
const EVENTS_POLL_MS = 5_000

export function NodeView({ name }: { readonly name: string }) {
  const nodes = useFollowed<Node>({
    path: selecting(paths.nodes, `metadata.name=${name}`),
    watch: true,
    pollMs: LEASE_POLL_MS,
  })
  const leases = useFollowed<Lease>({
    path: nodeLeasePath(name),
    watch: false,
    pollMs: LEASE_POLL_MS,
  })
  const pods = useFollowed<Pod>({
    path: selecting('/api/v1/pods', `spec.nodeName=${name}`),
    watch: false,
    pollMs: PODS_POLL_MS,
  })
  const { zones, fleet } = useStatus()
  const node = nodes.items.get(name)
  if (nodes.refused) return <p class="panel refusal">{nodes.refused}</p>
  if (!nodes.isLoaded) return <p class="loading">Reading {name}…</p>
  if (!node) return <Missing name={name} />

  const facts: NodeFacts = {
    node,
    lease: leases.items.get(`kube-node-lease/${name}`),
    pods: [...pods.items.values()],
    zone: zones.get(zoneOf(node)),
    fleet,
  }
  return (
    <>
      <NodeHead facts={facts} />
      {leases.isLoaded && <LeaseBar facts={facts} />}
      <div class="columns">
        <NextSteps facts={facts} />
        <NodePods facts={facts} />
        <Conditions node={node} />
        <NodeStory name={name} />
        <Taints node={node} />
        <Facts node={node} />
      </div>
    </>
  )
}

/** Gone, or never there; what happened to it can still be told. */
function Missing({ name }: { readonly name: string }) {
  return (
    <>
      <section class="verdict empty">
        <h1>There is no node {name}.</h1>
      </section>
      <NodeStory name={name} />
    </>
  )
}

function NodeHead({ facts }: { readonly facts: NodeFacts }) {
  const { node, pods, zone } = facts
  const nowMs = useNow()
  const zoneName = zoneOf(node)
  const { state } = cellOf(node)
  const sinceMs = parseTimeMs(readyOf(node)?.lastTransitionTime ?? '')
  // What it said last stands in its status until somebody marks it, which observe mode never does.
  const isOverdue = !isBad(state) && facts.lease && nowMs > silenceOf(facts).deadlineMs
  const meaning = isOverdue ? 'it said so, and has been silent since' : stateMeanings[state]
  const tone = isBad(state) || isOverdue ? 'alarm' : 'calm'
  return (
    <section class={`verdict ${tone}`} aria-label="Node">
      <div>
        <h1>{node.metadata.name}</h1>
        <p>
          <StateName state={state} />
          {/* Which taint came when is told below; this is when it was last ready. */}
          {state === 'evicting' && ', not ready'}
          {sinceMs !== undefined && ` since ${clock(sinceMs, nowMs)} (${ago(sinceMs, nowMs)})`}
          {`: ${meaning}. In `}
          <Link to={{ view: 'fleet', filter: { ...noFilter, zone: zoneName } }}>
            {zone?.spec?.zone ?? zoneName}
          </Link>
          .
        </p>
      </div>
      <NodeActions node={node} podCount={pods.length} />
    </section>
  )
}

function NodeStory({ name }: { readonly name: string }) {
  const selector = `involvedObject.kind=Node,involvedObject.name=${name}`
  const path = selecting(paths.events, selector)
  const events = useFollowed<Event>({ path, watch: false, pollMs: EVENTS_POLL_MS })
  return <Story title="What happened" events={events} isAboutOne />
}
