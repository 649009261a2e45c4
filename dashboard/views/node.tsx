/** One node: its state, what happens to it next, and what the user can do. */
import type { Event, KubeObject, Lease, Node, Pod } from '../../shared/kube/objects.ts'
import { parseTimeMs } from '../../shared/kube/time.ts'
import { readyOf } from '../../shared/lifecycle/liveness/health.ts'
import { summarizeNode } from '../../shared/lifecycle/liveness/node-summary.ts'
import { nodeLeasePath, paths, withFieldSelector } from '../api/paths.ts'
import { nodeFeatures } from '../features.ts'
import { useFleetStatus } from '../page/fleet-status.ts'
import { ZoneLink } from '../page/link.tsx'
import type { ViewRoute } from '../page/navigation.ts'
import { StateName } from '../page/shape.tsx'
import { useNow } from '../page/use-now.ts'
import { useWatch } from '../page/use-watch.ts'
import { clock, clockAndAge, until } from '../state/format.ts'
import { type ForecastStep, forecastNode } from '../state/node-forecast.ts'
import { stateMeanings } from '../state/node-states.ts'
import { livenessOf, type NodeFacts, zoneOf } from '../state/node-world.ts'
import { isBad } from '../state/zone-view.ts'
import { EventTimeline } from './event-timeline.tsx'
import { LeaseBar } from './lease-bar.tsx'
import { NodeActions } from './node-actions.tsx'
import { ConditionsPanel, FactsPanel, TaintsPanel } from './node-facts.tsx'
import type { NodeFeature } from './node-feature.ts'
import { NodePods } from './node-pods.tsx'

/** Each is a read of one small object, or of the few that belong to one node. */
const LEASE_POLL_MS = 2_000
const PODS_POLL_MS = 2_000
const EVENTS_POLL_MS = 5_000

export const nodeRoute: ViewRoute = {
  view: 'node',
  title: ({ node = '' }) => node,
  View: ({ query: { node = '' } }) => <NodeView key={node} name={node} />,
}

function NodeView({ name }: { readonly name: string }) {
  const nodes = useWatch<Node>({
    path: withFieldSelector(paths.nodes, `metadata.name=${name}`),
    watch: true,
    pollMs: LEASE_POLL_MS,
  })
  const leases = useWatch<Lease>({
    path: nodeLeasePath(name),
    watch: false,
    pollMs: LEASE_POLL_MS,
  })
  const pods = useWatch<Pod>({
    path: withFieldSelector(paths.pods, `spec.nodeName=${name}`),
    watch: false,
    pollMs: PODS_POLL_MS,
  })
  const { zones, fleet, isLoaded } = useFleetStatus()
  const { about, taintAtMs } = useNodeFeatures(name)
  const node = nodes.items.get(name)
  if (nodes.refused) return <p class="panel refusal">{nodes.refused}</p>
  if (!nodes.isLoaded || !isLoaded) return <p class="loading">Reading {name}…</p>
  if (!node) return <Missing name={name} />

  const facts: NodeFacts = {
    node,
    lease: leases.items.get(`kube-node-lease/${name}`),
    pods: [...pods.items.values()],
    zone: zones.get(zoneOf(node)),
    fleet,
    ...(taintAtMs !== undefined && { taintAtMs }),
  }
  return (
    <>
      <NodeHead facts={facts} />
      {leases.isLoaded && <LeaseBar facts={facts} />}
      <div class="columns">
        {about.map(({ feature, object }) => (
          <feature.Panel key={feature.name} object={object} />
        ))}
        <NextSteps facts={facts} />
        <NodePods facts={facts} />
        <ConditionsPanel node={node} />
        <NodeEvents name={name} />
        <TaintsPanel node={node} />
        <FactsPanel node={node} />
      </div>
    </>
  )
}

/** Deleted, or never there; its Events may still be. */
function Missing({ name }: { readonly name: string }) {
  return (
    <>
      <section class="summary empty">
        <h1>There is no node {name}.</h1>
      </section>
      <NodeEvents name={name} />
    </>
  )
}

function NodeHead({ facts }: { readonly facts: NodeFacts }) {
  const { node, pods, zone } = facts
  const nowMs = useNow()
  const zoneName = zoneOf(node)
  const { state } = summarizeNode(node)
  const sinceMs = parseTimeMs(readyOf(node)?.lastTransitionTime ?? '')
  // Its last report stands in its status until the monitor marks it, which observe mode never does.
  const isOverdue = !isBad(state) && facts.lease && nowMs > livenessOf(facts).deadlineMs
  const meaning = isOverdue ? 'it said so, and has been silent since' : stateMeanings[state]
  const tone = isBad(state) || isOverdue ? 'alarm' : 'calm'
  return (
    <section class={`summary ${tone}`} aria-label="Node">
      <div>
        <h1>{node.metadata.name}</h1>
        <p>
          <StateName state={state} />
          {/* The time of the taint is shown below; this is when Ready changed. */}
          {state === 'evicting' && ', not ready'}
          {sinceMs !== undefined && ` since ${clockAndAge(sinceMs, nowMs)}`}
          {`: ${meaning}. In `}
          <ZoneLink name={zoneName} title={zone?.spec?.zone ?? zoneName} />.
        </p>
      </div>
      <NodeActions node={node} podCount={pods.length} />
    </section>
  )
}

function NodeEvents({ name }: { readonly name: string }) {
  const selector = `involvedObject.kind=Node,involvedObject.name=${name}`
  const path = withFieldSelector(paths.events, selector)
  const events = useWatch<Event>({ path, watch: false, pollMs: EVENTS_POLL_MS })
  return <EventTimeline title="What happened" events={events} isOneObject />
}

/** The list of features never changes while the page is open, so the order of hooks does not. */
function useNodeFeatures(name: string) {
  const lists = nodeFeatures.map(useFeatureOf(name))
  const about = nodeFeatures.map((feature, at) => ({
    feature,
    object: [...lists[at]!.items.values()][0],
  }))
  const times = about.map(({ feature, object }) => object && feature.taintAtMs?.(object))
  return { about, taintAtMs: times.find((ms) => ms !== undefined) }
}

const useFeatureOf =
  (name: string) =>
  ({ path, pollMs }: NodeFeature) =>
    useWatch<KubeObject>({ path: path(name), watch: false, pollMs })

function NextSteps({ facts }: { readonly facts: NodeFacts }) {
  const nowMs = useNow()
  const { premise, steps } = forecastNode(facts, nowMs)
  return (
    <section class="panel next">
      <h2>What happens next</h2>
      <p class="dim">{premise}</p>
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li key={step.what} class={step.held ? 'held' : ''}>
              <When step={step} nowMs={nowMs} />
              <span>
                {step.what}
                {step.held && <span class="why">Held back: {step.held}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function When({
  step: { atMs, held },
  nowMs,
}: {
  readonly step: ForecastStep
  readonly nowMs: number
}) {
  if (held || atMs === undefined) return <b class="when">not now</b>
  return (
    <b class="when">
      {until(atMs, nowMs)} <small>{clock(atMs, nowMs)}</small>
    </b>
  )
}
