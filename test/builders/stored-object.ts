/** Writes an object straight into a store, past the api, whatever was there before. */
import type { KubeObject, ObjectMeta } from '../../shared/kube/objects.ts'
import { resources } from '../../shared/kube/registry.ts'
import type { Store, WriteStep } from '../../shared/store/ports.ts'

export const resourceNamed = (plural: string) => resources.find((each) => each.plural === plural)!

/** The step that does it. What is new gets `created`; a replacement keeps the old uid. */
export async function putStep(
  store: Store,
  plural: string,
  object: KubeObject,
  created: Partial<ObjectMeta> = {},
): Promise<WriteStep> {
  const { name = '', namespace = '' } = object.metadata
  const fields = resourceNamed(plural).selectable(object)
  const believed = await store.objects.get(plural, { namespace, name })
  const withMetadata = (metadata: ObjectMeta) => ({ ...object, metadata })
  if (!believed) {
    const next = withMetadata({ ...created, ...object.metadata })
    return { do: 'createObject', resource: plural, object: next, fields }
  }
  const { metadata } = believed.object
  const next = withMetadata({ ...metadata, ...object.metadata, uid: believed.uid })
  return { do: 'replaceObject', believed, object: next, fields }
}
