/** Warns a client that deletes a pod whose host cannot confirm the end. */
import type { KubeObject, Node, Pod } from '../../../shared/kube/objects.ts'
import type { ResourceRequest } from '../deps.ts'

export async function unreachableNodeWarnings(
  { api, resource }: ResourceRequest,
  object: KubeObject,
): Promise<string[]> {
  const nodeName = resource.plural === 'pods' ? (object as Pod).spec?.nodeName : undefined
  if (!nodeName) return []
  const found = await api.store.objects.get('nodes', { namespace: '', name: nodeName }, 'lean')
  if (!isUnknown(found?.object as Node | undefined)) return []
  return [
    `node "${nodeName}" is Unknown and cannot confirm: pod "${object.metadata.name}" stays ` +
      'Terminating until the node answers, is deleted, or carries the taint ' +
      'node.kubernetes.io/out-of-service',
  ]
}

const isUnknown = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown') ??
  false
