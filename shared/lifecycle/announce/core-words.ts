/** How is it said in `kubectl get events`? As Kubernetes says it, to the letter, where it does. */
import type { Taint } from '../../kube/objects.ts'
import { registeredNode, removingNode } from '../events.ts'
import type { Changes, DomainEvent, EventType } from './domain-event.ts'

export interface Words {
  /** Who says it in Kubernetes; absent where only we do. */
  readonly component?: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export function wordsFor(event: DomainEvent): Words {
  // The table's row for a type takes that type's change; the compiler cannot see that they match.
  const say = words[event['detail-type']] as (told: Told<EventType>) => Words
  return say({ ...event.detail, ...event.detail.object, change: event.detail.change })
}

interface Told<Type extends EventType> {
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly reason?: string
  readonly message?: string
  readonly change: Changes[Type]
}

const words: { readonly [Type in EventType]: (told: Told<Type>) => Words } = {
  NodeRegistered: ({ name, uid }) => spoken(registeredNode(name, uid)),
  NodeDeleted: ({ name, uid }) => spoken(removingNode(name, uid)),
  NodeReady: ({ name }) => statusNow(name, 'NodeReady'),
  NodeNotReady: ({ name }) => statusNow(name, 'NodeNotReady'),
  // Kubernetes has one word for both; the node's Ready condition tells them apart.
  NodeUnreachable: ({ name }) => statusNow(name, 'NodeNotReady'),
  NodeCordoned: ({ name }) => statusNow(name, 'NodeNotSchedulable'),
  NodeUncordoned: ({ name }) => statusNow(name, 'NodeSchedulable'),
  NodeTainted: ({ name, change }) =>
    normal('NodeTainted', `Node ${name} was tainted: ${listed(change.taints)}`),
  NodeUntainted: ({ name, change }) =>
    normal('NodeUntainted', `Node ${name} lost the taints: ${listed(change.taints)}`),
  PodEvicted: evicted,
  ZoneStateChanged: ({ name, change: { from, to } }) => ({
    ...normal('ZoneStateChanged', `Zone ${name} went from ${from} to ${to}`),
    type: to === 'Normal' || to === 'Initial' ? 'Normal' : 'Warning',
  }),
  FleetDisruptionEntered: () =>
    warning('FleetDisruptionEntered', 'Every zone is fully disrupted: nobody is evicted'),
  FleetDisruptionLeft: () =>
    normal('FleetDisruptionLeft', 'A zone is back: every clock starts afresh'),
  BlindEntered: ({ message = '' }) =>
    warning('BlindEntered', `The observer cannot see and judges nobody: ${message}`),
  BlindLeft: () => normal('BlindLeft', 'The observer sees again'),
  LeaseTaken: ({ change: { from, to } }) =>
    normal('LeaseTaken', from ? `${to} took the lease from ${from}` : `${to} took the lease`),
}

const normal = (reason: string, message: string): Words => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): Words => ({ type: 'Warning', reason, message })

const spoken = ({ component, type, reason, message }: Required<Words>): Words => ({
  component,
  type,
  reason,
  message,
})

const statusNow = (name: string, reason: string): Words => ({
  component: 'node-controller',
  ...normal(reason, `Node ${name} status is now: ${reason}`),
})

function evicted({ namespace = '', name, reason = '', message = '' }: Told<'PodEvicted'>): Words {
  if (reason !== 'DeletionByTaintManager') return normal('Evicted', message || reason)
  const marked = normal('TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`)
  return { component: 'taint-eviction-controller', ...marked }
}

/** A list for people: a node may have more taints than a message has room. */
const MAX_LISTED = 8

function listed(taints: readonly Taint[]): string {
  const shown = taints.slice(0, MAX_LISTED).map(({ key, value, effect }) => {
    return value ? `${key}=${value}:${effect}` : `${key}:${effect}`
  })
  return [...shown, ...(taints.length > MAX_LISTED ? ['…'] : [])].join(', ')
}
