/**
 * Which pods may a node touch? Those bound to it; of its own making only mirrors of what it runs
 * anyway.
 */
import type { KubeObject, Pod } from '../kube/objects.ts'
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  forbid,
} from './admission-verdict.ts'
import { changedKeys } from './label-rule.ts'

const MIRROR = 'kubernetes.io/config.mirror'

export function restrictPod(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  const { operation, subresource, identity, object, old, node } = request
  if (node && identity.nodeUid !== undefined && node.metadata.uid !== identity.nodeUid) {
    return forbid('this token was issued for another Node of this name; join again')
  }
  if (operation === 'create' && subresource === '') {
    return mirrorPod(object, node, nodeName)
  }
  const bound = (old as Pod | undefined)?.spec?.nodeName
  if (bound !== nodeName) {
    return forbid(`node "${nodeName}" can only ${operation} pods with spec.nodeName set to itself`)
  }
  if (subresource !== 'status' || !object) return allowed
  const labels = changedKeys(object.metadata.labels, old?.metadata.labels)
  return labels.length === 0
    ? allowed
    : forbid('is not allowed to update labels through pod status')
}

function mirrorPod(pod: Pod | undefined, node: KubeObject | undefined, nodeName: string) {
  if (pod?.metadata.annotations?.[MIRROR] === undefined) {
    return forbid(
      `pod does not have "${MIRROR}" annotation, node "${nodeName}" can only create mirror pods`,
    )
  }
  if (pod.spec?.nodeName !== nodeName) {
    return forbid(`node "${nodeName}" can only create pods with spec.nodeName set to itself`)
  }
  const shape = ownedByNode(pod, nodeName)
  if (shape.kind !== 'allowed') return shape
  const reference = referenceIn(pod)
  if (reference) return forbid(`node "${nodeName}" can not create pods that reference ${reference}`)
  if (!node) return { kind: 'nodeNotFound', nodeName } satisfies AdmissionVerdict
  const sameUid = node.metadata.uid === pod.metadata.ownerReferences?.[0]?.uid
  return sameUid ? allowed : forbid(`the owner's uid is not the uid of node "${nodeName}"`)
}

function ownedByNode(pod: Pod, nodeName: string): AdmissionVerdict {
  const [owner, ...others] = pod.metadata.ownerReferences ?? []
  if (!owner || others.length > 0)
    return forbid('a mirror pod must have exactly one owner, its node')
  const isNode = owner.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === nodeName
  if (!isNode) return forbid(`the owner of a mirror pod must be node "${nodeName}"`)
  if (owner.controller !== true) return forbid('the owner must be marked as controller')
  return owner.blockOwnerDeletion ? forbid('the owner must not block its deletion') : allowed
}

type Volume = Readonly<Record<string, unknown>>

/** A pod that names other objects would give the node a relation to them. */
function referenceIn({ spec = {} }: Pod): string | undefined {
  const list = (value: unknown) => (Array.isArray(value) ? (value as readonly Volume[]) : [])
  if (spec.serviceAccountName) return 'a service account'
  if (list(spec.imagePullSecrets).length > 0) return 'secrets'
  if (list(spec.resourceClaims).length > 0) return 'resource claims'
  const volumes = list(spec.volumes)
  const mounted = (kind: string) => volumes.some((volume) => volume[kind] !== undefined)
  if (['secret', 'projected', 'csi', 'iscsi', 'rbd', 'cephfs', 'flexVolume'].some(mounted))
    return 'secrets'
  if (mounted('configMap')) return 'config maps'
  if (mounted('persistentVolumeClaim') || mounted('ephemeral')) return 'volume claims'
  const containers = [...list(spec.containers), ...list(spec.initContainers)]
  return containers.some(readsEnvironment) ? 'secrets or config maps' : undefined
}

function readsEnvironment(container: Volume): boolean {
  const env = (container.env ?? []) as readonly Volume[]
  const from = (container.envFrom ?? []) as readonly unknown[]
  const keyed = (one: Volume) => {
    const source = one.valueFrom as Volume | undefined
    return source?.secretKeyRef !== undefined || source?.configMapKeyRef !== undefined
  }
  return from.length > 0 || env.some(keyed)
}
