/**
 * Something changed: which core/v1 Events tell it to people who use kubectl? Those of Kubernetes'
 * controllers and kubelets, with their sources, reasons and messages to the letter; and a few that
 * have our source.
 */
import type {
  KubeObject,
  Node,
  NodeCondition,
  ObjectReference,
  Pod,
  Taint,
} from '../../kube/objects.ts'
import { formatTime } from '../../kube/time.ts'
import { EVICT_AT } from '../eviction/countdown.ts'
import { evidenceIn } from '../evidence.ts'
import type { EmittedEvent, Known } from '../world.ts'
import type { Changes, DomainEvent, DomainEventType, Transition } from './domain-event.ts'
import { changesOf, momentOf } from './domain-events.ts'

/** A core/v1 Event before it is written. */
export interface EventDraft {
  readonly source: { readonly component: string; readonly host?: string }
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly involvedObject: ObjectReference
}

/** An Event with the change that it tells: of one Event a later change has a higher version. */
export interface TimedEvent extends EventDraft {
  readonly version: number
  readonly time: string
}

/** `told`: the domain events of the same transition. */
export function coreEvents(
  transition: Transition,
  told: readonly DomainEvent[],
): readonly TimedEvent[] {
  const because = transition.kind === 'object' ? evidenceIn(transition.emits) : undefined
  const own = told.flatMap((event) => ownEvent(event, because) ?? [])
  if (transition.kind === 'leaseTaken') return own
  const byKubernetes = changesOf(transition).flatMap((change) => {
    const { version, timeUs } = momentOf(change)
    const time = formatTime(timeUs / 1000)
    return kubeEvents(change).map((draft) => ({ ...draft, version, time }))
  })
  return [...byKubernetes, ...own]
}

// ---- Kubernetes' -----------------------------------------------------------------------------

/** Of one object: a new uid under an old name is two changes. */
interface ObjectChange {
  readonly before?: Known<KubeObject>
  readonly after?: Known<KubeObject>
  readonly emits?: readonly EmittedEvent[]
}

function kubeEvents(change: ObjectChange): readonly EventDraft[] {
  const resource = (change.after ?? change.before)?.resource
  if (resource === 'nodes') return eventsOfNode(change)
  return resource === 'pods' ? eventsOfPod(change) : []
}

function eventsOfNode({ before, after, emits }: ObjectChange): readonly EventDraft[] {
  if (!after) return before ? [nodeEvent(before, 'RemovingNode')] : []
  const byController = [
    ...(before ? [] : [nodeEvent(after, 'RegisteredNode')]),
    ...(emits?.includes('NodeNotReady') ? [nodeEvent(after, 'NodeNotReady')] : []),
  ]
  return [...byController, ...eventsOfHost(before?.object, after)]
}

const NODE_MESSAGES = {
  RegisteredNode: (name: string) => `Node ${name} event: Registered Node ${name} in Controller`,
  RemovingNode: (name: string) => `Node ${name} event: Removing Node ${name} from Controller`,
  NodeNotReady: (name: string) => statusIsNow(name, 'NodeNotReady'),
}

const statusIsNow = (name: string, reason: string) => `Node ${name} status is now: ${reason}`

function nodeEvent(node: Known<KubeObject>, reason: keyof typeof NODE_MESSAGES): EventDraft {
  return {
    source: { component: 'node-controller' },
    type: 'Normal',
    reason,
    message: NODE_MESSAGES[reason](node.key.name),
    involvedObject: nodeReference(node),
  }
}

export const nodeReference = ({ key, uid }: Known<KubeObject>): ObjectReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: key.name,
  uid,
})

// ---- what a kubelet tells about its own node ----------------------------------------------------

/** A kubelet posts these itself; our agent leaves it to the service, which sees the same change. */
function eventsOfHost(before: Node | undefined, after: Known<KubeObject>): readonly EventDraft[] {
  const node = after.object as Node
  if (!node.status?.nodeInfo?.kubeletVersion.endsWith('+leasehold')) return []
  return reasonsOfHost(before, node).map((reason) => ({
    source: { component: 'kubelet', host: after.key.name },
    type: 'Normal',
    reason,
    message: statusIsNow(after.key.name, reason),
    involvedObject: nodeReference(after),
  }))
}

const PRESSURE_REASONS: Readonly<
  Record<string, { readonly True: string; readonly False: string }>
> = {
  MemoryPressure: { True: 'NodeHasInsufficientMemory', False: 'NodeHasSufficientMemory' },
  DiskPressure: { True: 'NodeHasDiskPressure', False: 'NodeHasNoDiskPressure' },
  PIDPressure: { True: 'NodeHasInsufficientPID', False: 'NodeHasSufficientPID' },
}

/** Unknown is written by the monitor only, and no news of the host's. */
function reasonsOfHost(before: Node | undefined, after: Node): readonly string[] {
  const statusBefore = (type: string) => conditionOf(before, type)?.status
  const changed = (after.status?.conditions ?? []).flatMap(({ type, status }) => {
    if (status === 'Unknown' || status === statusBefore(type)) return []
    // As the kubelet: a first pressure condition is told, a first Ready is not.
    if (type === 'Ready' && statusBefore(type) !== undefined)
      return [status === 'True' ? 'NodeReady' : 'NodeNotReady']
    return PRESSURE_REASONS[type]?.[status] ?? []
  })
  const isCordoned = after.spec?.unschedulable === true
  if (!before || (before.spec?.unschedulable === true) === isCordoned) return changed
  return [...changed, isCordoned ? 'NodeNotSchedulable' : 'NodeSchedulable']
}

const conditionOf = (node: Node | undefined, wanted: string): NodeCondition | undefined =>
  node?.status?.conditions?.find(({ type }) => type === wanted)

// ---- pods ---------------------------------------------------------------------------------------

function eventsOfPod({ before, after, emits = [] }: ObjectChange): readonly EventDraft[] {
  if (after) {
    const unscheduled = !before && isUnscheduled(after.object) ? [nothingSchedules(after)] : []
    return [...unscheduled, ...emits.map((emitted) => podEvent(after, emitted))]
  }
  // It went before its time was up.
  const wasCounting = before?.object.metadata.annotations?.[EVICT_AT] !== undefined
  return before && wasCounting ? [podEvent(before, 'CancellingDeletion')] : []
}

/** Kubernetes' default scheduler would take it; a pod that names another waits for that one. */
function isUnscheduled({ spec }: Pod): boolean {
  const { nodeName, schedulerName = 'default-scheduler' } = spec ?? {}
  return !nodeName && schedulerName === 'default-scheduler'
}

function nothingSchedules({ key, uid }: Known<KubeObject>): EventDraft {
  const path = `/api/v1/namespaces/${key.namespace}/pods/${key.name}/binding`
  const target = `{"metadata":{"name":"${key.name}"},"target":{"kind":"Node","name":"NODE"}}`
  return {
    source: OUR_SOURCE,
    type: 'Warning',
    reason: 'FailedScheduling',
    message:
      'Nothing schedules pods here. Give it a node when it is made (spec.nodeName), or bind it: ' +
      `echo '${target}' | kubectl create --raw ${path} -f -`,
    involvedObject: { apiVersion: 'v1', kind: 'Pod', ...key, uid },
  }
}

function podEvent({ key, uid }: Known<KubeObject>, emitted: EmittedEvent): EventDraft {
  const pod = { apiVersion: 'v1', kind: 'Pod', ...key }
  if (emitted === 'NodeNotReady') {
    return {
      source: { component: 'node-controller' },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      involvedObject: { ...pod, uid },
    }
  }
  const what = emitted === 'MarkingForDeletion' ? 'Marking for deletion' : 'Cancelling deletion of'
  return {
    source: { component: 'taint-eviction-controller' },
    type: 'Normal',
    reason: 'TaintManagerEviction',
    message: `${what} Pod ${key.namespace}/${key.name}`,
    // As in Kubernetes, without the uid.
    involvedObject: pod,
  }
}

// ---- ours ---------------------------------------------------------------------------------------

export const OUR_SOURCE = { component: 'leasehold' }

function ownEvent(event: DomainEvent, because: string | undefined): TimedEvent | undefined {
  const { detail, time } = event
  // The table's row for a type takes that type's change; the compiler cannot see that they match.
  const text = texts[event['detail-type']] as TextOf<DomainEventType> | undefined
  const said = text?.({ ...detail.object, ...detail, change: detail.change, because })
  if (!said) return undefined
  const { version, object: involvedObject } = detail
  return { source: OUR_SOURCE, ...said, involvedObject, version, time }
}

type EventText = Pick<EventDraft, 'type' | 'reason' | 'message'>

interface EventFacts<Type extends DomainEventType> {
  readonly name: string
  readonly reason?: string
  readonly message?: string
  readonly change: Changes[Type]
  /** What the monitor compared, where the write was its. */
  readonly because: string | undefined
}

type TextOf<Type extends DomainEventType> = (facts: EventFacts<Type>) => EventText | undefined

/** Types without a row are told by Kubernetes' own Events, or not at all. */
const texts: { readonly [Type in DomainEventType]?: TextOf<Type> } = {
  NodeTainted: ({ name, change, because }) => {
    const evidence = because ? `: ${because}` : ''
    return normal('NodeTainted', `Node ${name} was tainted: ${listed(change.taints)}${evidence}`)
  },
  NodeUntainted: ({ name, change }) =>
    normal('NodeUntainted', `Node ${name} lost the taints: ${listed(change.taints)}`),
  PodEvicted: ({ reason = '', message = '' }) =>
    reason === 'DeletionByTaintManager' ? undefined : normal('Evicted', message || reason),
  ZoneStateChanged: ({ name, change: { from, to } }) => ({
    ...normal('ZoneStateChanged', `Zone ${name} went from ${from} to ${to}`),
    type: to === 'Normal' || to === 'Initial' ? 'Normal' : 'Warning',
  }),
  FleetDisruptionEntered: () =>
    warning('FleetDisruptionEntered', 'Every zone is fully disrupted: nobody is evicted'),
  FleetDisruptionLeft: () =>
    normal('FleetDisruptionLeft', 'A zone is back: every clock starts afresh'),
  BlindEntered: ({ message = '' }) =>
    warning('BlindEntered', `The observer cannot see and judges no node: ${message}`),
  BlindLeft: () => normal('BlindLeft', 'The observer sees again'),
  LeaseTaken: ({ change: { from, to } }) =>
    normal('LeaseTaken', from ? `${to} took the lease from ${from}` : `${to} took the lease`),
}

const normal = (reason: string, message: string): EventText => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): EventText => ({
  type: 'Warning',
  reason,
  message,
})

/** A list for people: a node may have more taints than a message has room. */
const MAX_LISTED = 8

function listed(taints: readonly Taint[]): string {
  const shown = taints.slice(0, MAX_LISTED).map(({ key, value, effect }) => {
    return value ? `${key}=${value}:${effect}` : `${key}:${effect}`
  })
  return [...shown, ...(taints.length > MAX_LISTED ? ['…'] : [])].join(', ')
}
