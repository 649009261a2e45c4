/** The namespaces that always exist. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { lazily } from '../../../shared/store/lazily.ts'
import type { Store } from '../../../shared/store/ports.ts'

interface Deps {
  readonly store: Store
  readonly clock: () => number
  readonly uuid: () => string
}

const BUILT_IN = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

export const isBuiltIn = (name: string): boolean => BUILT_IN.includes(name)

/**
 * Creates those that are missing, once per process and only before namespaces are read: a write
 * into a built-in namespace does not look it up, so no renewal ever waits for this.
 */
export const builtInNamespaces = (api: Deps): (() => Promise<void>) =>
  lazily(() => writeMissing(api))

async function writeMissing({ store, clock, uuid }: Deps): Promise<void> {
  const { namespaces: resource } = await import('../../../shared/kube/namespace/resource.ts')
  const keys = BUILT_IN.map((name) => ({ namespace: '', name }))
  const there = new Set((await store.objects.read('namespaces', keys)).map(({ key }) => key.name))
  for (const name of BUILT_IN.filter((name) => !there.has(name))) {
    const creationTimestamp = formatTime(clock())
    const bare: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, uid: uuid(), creationTimestamp },
    }
    const object = resource.prepareForCreate(resource.withDefaults(bare))
    const fields = resource.selectable(object)
    // Outrun means that another process created it first, which is as good.
    await store.commit([{ do: 'createObject', resource: 'namespaces', object, fields }])
  }
}
