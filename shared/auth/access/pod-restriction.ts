/** Which pods may a node change? Those bound to it; it may create only mirror pods. */
import type { KubeObject, Pod } from '../../kube/objects.ts'
import { nodeResource } from '../subject.ts'
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  forbid,
} from './admission-verdict.ts'
import { changedKeys } from './label-rule.ts'

const MIRROR = 'kubernetes.io/config.mirror'

/** By subresource, the one operation that a node may do to an existing pod. */
const OPERATIONS: Readonly<Record<string, AdmissionRequest['operation']>> = {
  '': 'delete',
  status: 'update',
  eviction: 'create',
}

export function restrictPod(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  const { operation, subresource, resource, key, object, old, node } = request
  if (operation === 'create' && subresource === '') {
    return mirrorPod(object, node, nodeName)
  }
  if (OPERATIONS[subresource] !== operation) {
    const path = subresource ? `pods/${subresource}` : 'pods'
    return forbid(`node "${nodeName}" may not ${operation} ${path}`)
  }
  if (!old) return { kind: 'notFound', resource, name: key.name }
  if ((old as Pod).spec?.nodeName !== nodeName) {
    const verb = subresource === 'eviction' ? 'evict' : operation
    return forbid(`node "${nodeName}" can only ${verb} pods with spec.nodeName set to itself`)
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
  if (!node) return { kind: 'notFound', resource: nodeResource, name: nodeName } as const
  if (node.metadata.uid !== pod.metadata.ownerReferences?.[0]?.uid) {
    return forbid(`the owner's uid is not the uid of node "${nodeName}"`)
  }
  const reference = referenceIn(pod)
  if (!reference) return allowed
  return forbid(`node "${nodeName}" can not create pods that reference ${reference}`)
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

/** A pod that references other objects would give the node access to them. */
function referenceIn({ spec = {} }: Pod): string | undefined {
  const list = (value: unknown) => (Array.isArray(value) ? (value as readonly Volume[]) : [])
  if (spec.serviceAccountName) return 'a service account'
  if (list(spec.imagePullSecrets).length > 0) return 'secrets'
  if (list(spec.resourceClaims).length > 0) return 'resource claims'
  const volumes = list(spec.volumes)
  const mounted = (kind: string) => volumes.some((volume) => volume[kind] !== undefined)
  if (['secret', 'projected', 'iscsi', 'rbd', 'cephfs', 'flexVolume', 'azureFile'].some(mounted)) {
    return 'secrets'
  }
  if (mounted('csi')) return 'CSI drivers'
  if (mounted('glusterfs')) return 'endpoints'
  if (mounted('configMap')) return 'config maps'
  if (mounted('persistentVolumeClaim') || mounted('ephemeral')) return 'volume claims'
  const containers = [
    ...list(spec.containers),
    ...list(spec.initContainers),
    ...list(spec.ephemeralContainers),
  ]
  return containers.some(readsEnvironment) ? 'secrets or config maps' : undefined
}

function readsEnvironment(container: Volume): boolean {
  const env = (container.env ?? []) as readonly Volume[]
  const from = (container.envFrom ?? []) as readonly unknown[]
  const keyed = (one: Volume) => {
    // Stored without validation, so it may be anything.
    const source = one.valueFrom as Volume | null | undefined
    return source?.secretKeyRef !== undefined || source?.configMapKeyRef !== undefined
  }
  return from.length > 0 || env.some(keyed)
}
