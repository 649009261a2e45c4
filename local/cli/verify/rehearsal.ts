/**
 * Two throwaway hosts in a zone of their own. One falls silent, is marked, tainted and loses its pod,
 * and comes back; the other beats all along, so that their zone is never wholly down, and must never
 * be marked.
 */
import { leasePath, NODE_LEASE_NAMESPACE, nodePath } from '../../../agent/client.ts'
import type { Lease, Node, Pod } from '../../../shared/kube/objects.ts'
import { formatMicroTime } from '../../../shared/kube/time.ts'
import type { DomainEventType } from '../../../shared/lifecycle/events/domain-event.ts'
import { GRACE_ANNOTATION, readyOf } from '../../../shared/lifecycle/liveness/health.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import { UNREACHABLE } from '../../../shared/lifecycle/taints/taints.ts'
import type { EventQueue } from './event-queue.ts'
import { type HostsPlan, type ThrowawayHosts, throwawayHosts } from './throwaway-hosts.ts'

/** Short, so that verifying takes a minute; longer than a slow connection needs for a few beats. */
const LONGEST_GRACE_MS = 12_000
/** That of the host that falls silent. */
export const ownGraceMs = ({ nodeMonitorGracePeriodMs }: Settings) =>
  Math.min(LONGEST_GRACE_MS, nodeMonitorGracePeriodMs)
export const TOLERATION_SECONDS = 3
const POD_NAMESPACE = 'default'
const PODS = `/api/v1/namespaces/${POD_NAMESPACE}/pods`
/** Beyond what a step should take: a monitor that slept, a cold start, a queue far away. */
const ALLOWANCE_MS = 60_000
/** A monitor that ended because there was no host is started within two minutes. */
const WAKING_MS = 120_000

export interface Stage extends HostsPlan {
  /** Absent where there is no bus: locally. */
  readonly queue: EventQueue | undefined
  /** Waits for a condition; throws when that takes longer, or when interrupted. */
  readonly until: (what: string, withinMs: number, holds: () => Promise<boolean>) => Promise<void>
}

interface Step {
  readonly name: string
  /** Says what was seen. */
  play(): Promise<string>
}

interface Cast {
  readonly hosts: ThrowawayHosts
  readonly silent: string
  readonly beating: string
  readonly pod: string
  readonly node: (name: string) => Promise<Node | undefined>
  lastBeatMs: number
}

export function rehearsal(stage: Stage): readonly Step[] {
  const { name, service } = stage
  const cast: Cast = {
    hosts: throwawayHosts(stage),
    silent: `${name}-a`,
    beating: `${name}-b`,
    pod: `${name}-pod`,
    node: async (of) => await service.get<Node>(nodePath(of)),
    lastBeatMs: 0,
  }
  return [
    { name: 'join', play: () => join(stage, cast) },
    { name: 'beat', play: () => beat(stage, cast) },
    { name: 'unknown', play: () => seeUnknown(stage, cast) },
    { name: 'taint', play: () => seeTaint(stage, cast) },
    { name: 'evict', play: () => seeEviction(stage, cast) },
    { name: 'told', play: () => hearEvents(stage, cast) },
    { name: 'return', play: () => comeBack(stage, cast) },
    { name: 'leave', play: () => leave(stage, cast) },
  ]
}

async function join({ until, service }: Stage, cast: Cast): Promise<string> {
  const { hosts, silent, beating, node } = cast
  await hosts.join([silent, beating])
  const isThere = async (name: string) =>
    isReady(await node(name)) && (await service.get(leasePath(name))) !== undefined
  const areThere = async () => (await isThere(silent)) && (await isThere(beating))
  await until('both hosts are Ready', ALLOWANCE_MS, areThere)
  return 'two hosts have a token, a Node and a Lease each, and are Ready'
}

/** The last beat is written from here, because then the table says what it cost. */
async function beat(stage: Stage, cast: Cast): Promise<string> {
  const { service, running, store, context } = stage
  const { silent: name, pod } = cast
  await service.create(PODS, podOn(pod, name))
  await running.add('the pod', () => ({ stop: () => service.remove(`${PODS}/${pod}`) }))
  const grace = { [GRACE_ANNOTATION]: `${ownGraceMs(stage.settings) / 1000}s` }
  await service.annotate(nodePath(name), grace)
  await cast.hosts.stop(name)
  const key = { namespace: NODE_LEASE_NAMESPACE, name }
  const found = await store.leases.get(key)
  const spec = { ...found?.object.spec, renewTime: formatMicroTime(context.nowMs()) }
  const renewed = await store.leases.renew({ key, spec })
  if (renewed.kind !== 'renewed') throw new Error(`the lease was not renewed: ${renewed.kind}`)
  cast.lastBeatMs = renewed.lease.receivedAtMs ?? context.nowMs()
  return 'the last one of a host with a pod, straight into the table; then silence'
}

async function seeUnknown(stage: Stage, { node, silent, lastBeatMs }: Cast): Promise<string> {
  const graceMs = ownGraceMs(stage.settings)
  const withinMs = graceMs + 2 * stage.settings.nodeMonitorPeriodMs + WAKING_MS
  const isUnknown = async () => {
    const found = await node(silent)
    return found !== undefined && readyOf(found)?.status === 'Unknown'
  }
  await stage.until('the silent host is Unknown', withinMs, isUnknown)
  const silenceMs = stage.context.nowMs() - lastBeatMs
  if (!hasTaint(await node(silent), 'NoSchedule')) throw new Error('it has no NoSchedule taint')
  return `marked after ${seconds(silenceMs)} of silence (its grace is ${seconds(graceMs)})`
}

async function seeTaint({ settings, until }: Stage, { node, silent }: Cast): Promise<string> {
  const { nodeEvictionSettleMs: settleMs, nodeMonitorPeriodMs: tickMs } = settings
  const isTainted = async () => hasTaint(await node(silent), 'NoExecute')
  await until('the host has the NoExecute taint', settleMs + 2 * tickMs + ALLOWANCE_MS, isTainted)
  return `NoExecute, ${seconds(settleMs)} after that at the earliest`
}

async function seeEviction({ settings, service, until }: Stage, { pod }: Cast): Promise<string> {
  const withinMs = TOLERATION_SECONDS * 1000 + 2 * settings.nodeMonitorPeriodMs + ALLOWANCE_MS
  const isEvicted = async () => {
    const found = await service.get<Pod>(`${PODS}/${pod}`)
    return found?.metadata.deletionTimestamp !== undefined
  }
  await until('its pod is evicted', withinMs, isEvicted)
  return `its pod, which tolerated that for ${TOLERATION_SECONDS} s`
}

async function hearEvents(stage: Stage, { pod, silent }: Cast): Promise<string> {
  const { queue, until } = stage
  if (!queue) {
    await until('an Event tells of the eviction', ALLOWANCE_MS, () => hasEvent(stage, pod))
    return 'an Event tells of the eviction (locally there is no bus)'
  }
  const both = async () =>
    (await heard(queue, 'NodeUnreachable', silent)) && (await heard(queue, 'PodEvicted', pod))
  await until('NodeUnreachable and PodEvicted come from the bus', 2 * ALLOWANCE_MS, both)
  return 'NodeUnreachable and PodEvicted came from the bus to a queue'
}

async function comeBack(stage: Stage, { hosts, node, silent }: Cast): Promise<string> {
  hosts.start(silent)
  const isBack = async () => {
    const found = await node(silent)
    return isReady(found) && !hasTaint(found, 'NoExecute') && !hasTaint(found, 'NoSchedule')
  }
  const withinMs = 2 * stage.settings.nodeMonitorPeriodMs + ALLOWANCE_MS
  await stage.until('the host is Ready again, without taints', withinMs, isBack)
  return 'Ready again, without taints'
}

async function leave(stage: Stage, { hosts, node, silent, beating }: Cast): Promise<string> {
  await hosts.leave(silent)
  const { get } = stage.service
  const isReleased = async () => !(await get<Lease>(leasePath(silent)))?.spec?.holderIdentity
  await stage.until('its lease is released', ALLOWANCE_MS, isReleased)
  if (!isReady(await node(beating))) throw new Error('the host that kept beating was marked')
  return 'cordoned, its lease released; the other host was never marked'
}

/** Something to evict; no host runs it. */
const podOn = (name: string, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: POD_NAMESPACE },
  spec: {
    nodeName,
    containers: [{ name: 'verify', image: 'none' }],
    tolerations: [
      {
        key: UNREACHABLE,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: TOLERATION_SECONDS,
      },
    ],
  },
})

const isReady = (node: Node | undefined) => node !== undefined && readyOf(node)?.status === 'True'

const hasTaint = (node: Node | undefined, effect: string) =>
  (node?.spec?.taints ?? []).some((taint) => taint.key === UNREACHABLE && taint.effect === effect)

async function heard(queue: EventQueue, type: DomainEventType, name: string): Promise<boolean> {
  const events = await queue.heard()
  return events.some((each) => each['detail-type'] === type && each.detail.object.name === name)
}

interface EventList {
  readonly items: readonly {
    readonly involvedObject: { readonly name?: string }
    readonly reason?: string
  }[]
}

async function hasEvent({ service }: Stage, pod: string): Promise<boolean> {
  const list = await service.get<EventList>(`/api/v1/namespaces/${POD_NAMESPACE}/events`)
  const tells = ({ involvedObject, reason }: EventList['items'][number]) =>
    involvedObject.name === pod && reason === 'TaintManagerEviction'
  return list?.items.some(tells) ?? false
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
