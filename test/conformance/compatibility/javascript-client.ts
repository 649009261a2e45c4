/**
 * client-node: its generic client for objects, its typed one for what lies below them, its watch.
 */
import {
  CoordinationV1Api,
  CoreV1Api,
  EventsV1Api,
  KubernetesObjectApi,
  NodeV1Api,
  PatchStrategy,
  StorageV1Api,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node'
import type { Resource } from '../../../shared/kube/resource.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'
import type { Access } from '../../local-system/in-process.ts'
import { kubeConfigFor } from '../client-node.ts'
import { ANNOTATED, type Attempt, type Client, readable } from './client.ts'
import { bodyOf, collectionPath, OWN_LABEL, sampleOf } from './samples.ts'

type TypedCall = (
  parameters: { name?: string; namespace: string; body?: unknown; labelSelector?: string },
  options?: unknown,
) => Promise<object>

const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)

export function javascriptClient(access: Access): Client {
  const config = kubeConfigFor(access)
  const objects = KubernetesObjectApi.makeApiClient(config)
  const core = config.makeApiClient(CoreV1Api)
  const apis: Readonly<Record<string, object>> = {
    '': core,
    'coordination.k8s.io': config.makeApiClient(CoordinationV1Api),
    'events.k8s.io': config.makeApiClient(EventsV1Api),
    'storage.k8s.io': config.makeApiClient(StorageV1Api),
    'node.k8s.io': config.makeApiClient(NodeV1Api),
  }
  /** `readNodeStatus`, `createNamespacedPodEviction` … */
  const typed = (verb: string, { resource, subresource }: Attempt): TypedCall => {
    const scope = resource.namespaced ? 'Namespaced' : ''
    const call = `${verb}${scope}${resource.kind}${capital(subresource)}`
    const api = apis[resource.group] as Record<string, TypedCall>
    return api[call]!.bind(api)
  }
  const place = ({ name }: Attempt) => ({ name, namespace: 'default' })
  const sample = ({ resource, name }: Attempt) => sampleOf(resource, name)
  return {
    letter: 'J',
    verbs: {
      create: (attempt) =>
        attempt.subresource
          ? typed('create', attempt)({ ...place(attempt), body: bodyOf(attempt) })
          : objects.create(sample(attempt)),
      get: (attempt) =>
        attempt.subresource
          ? typed('read', attempt)(place(attempt))
          : objects.read(sample(attempt)),
      list: ({ resource }) =>
        objects.list(groupVersion(resource), resource.kind, namespaceOf(resource)),
      update: async (attempt) => {
        if (!attempt.subresource) return objects.replace(await objects.read(sample(attempt)))
        const body = await typed('read', readable(attempt))(place(attempt))
        return typed('replace', attempt)({ ...place(attempt), body })
      },
      patch: (attempt) =>
        attempt.subresource
          ? typed('patch', attempt)({ ...place(attempt), body: ANNOTATED }, asMerge)
          : objects.patch(
              {
                ...sample(attempt),
                ...ANNOTATED,
                metadata: { ...sample(attempt).metadata, ...ANNOTATED.metadata },
              },
              undefined,
              undefined,
              undefined,
              undefined,
              PatchStrategy.MergePatch,
            ),
      delete: (attempt) => objects.delete(sample(attempt)),
      deletecollection: ({ resource, name }) =>
        typed('deleteCollection', { resource, subresource: '', name })({
          namespace: 'default',
          labelSelector: `${OWN_LABEL}=${name}`,
        }),
      watch: ({ resource }) => firstEvent(new Watch(config), collectionPath(resource)),
    },
    close: () => {},
  }
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const namespaceOf = ({ namespaced }: Resource) => (namespaced ? 'default' : undefined)

function firstEvent(watch: Watch, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const opened = watch.watch(
      path,
      {},
      () => resolve(opened.then((controller) => controller.abort())),
      (error) => reject(error ?? new Error('the watch ended without an event')),
    )
  })
}
