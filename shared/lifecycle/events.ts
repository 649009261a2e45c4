/** What the monitor tells in core/v1 Events: Kubernetes' reasons and messages, to the letter. */
import type { Node, ObjectReference, Pod } from '../kube/objects.ts'

export interface EventDraft {
  readonly component: 'node-controller' | 'taint-eviction-controller'
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly involvedObject: ObjectReference
}

export function registeredNode(name: string, uid: string): EventDraft {
  const message = `Node ${name} event: Registered Node ${name} in Controller`
  return nodeEvent(name, uid, 'RegisteredNode', message)
}

export function removingNode(name: string, uid: string): EventDraft {
  const message = `Node ${name} event: Removing Node ${name} from Controller`
  return nodeEvent(name, uid, 'RemovingNode', message)
}

export function nodeNotReady(node: Node): EventDraft {
  const { name = '', uid = '' } = node.metadata
  return nodeEvent(name, uid, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
}

export function podNodeNotReady(pod: Pod): EventDraft {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  return {
    component: 'node-controller',
    type: 'Warning',
    reason: 'NodeNotReady',
    message: 'Node is not ready',
    involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace, name, uid },
  }
}

function nodeEvent(name: string, uid: string, reason: string, message: string): EventDraft {
  const involvedObject = { kind: 'Node', apiVersion: 'v1', name, uid }
  return { component: 'node-controller', type: 'Normal', reason, message, involvedObject }
}
