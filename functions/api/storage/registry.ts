/** Which storage has this resource? */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Resource, StoredForm } from '../../../shared/kube/resource.ts'
import type { Store } from '../../../shared/store/ports.ts'
import { explanationStorage } from '../explain/explanation-storage.ts'
import { leaseStorage } from './lease-storage.ts'
import { objectStorage } from './object-storage.ts'
import type { ComputedStorage, ResourceStorage, Stored, WriteOutcome } from './resource-storage.ts'

/** Resources that are computed when asked; each can be deleted together with its folder. */
const computed: readonly ComputedStorage[] = [
  // One line each.
  explanationStorage,
]

export function storageOf(store: Store, resource: Resource, nowMs: number): ResourceStorage {
  if (resource.plural === 'leases') return leaseStorage(store) as unknown as ResourceStorage
  const found = computed.find(({ plural }) => plural === resource.plural)
  if (found) return found.open(store, nowMs)
  const { storedForm: form } = resource
  const storage = objectStorage(store, form?.resource ?? resource, nowMs)
  const generic = storage as unknown as ResourceStorage
  return form ? shownIn(form, generic) : generic
}

/** Takes and returns objects in another form than they are stored in. */
function shownIn(form: StoredForm, storage: ResourceStorage): ResourceStorage {
  const shown = <T extends Stored>(stored: T): T => ({
    ...stored,
    object: form.fromStored(stored.object),
  })
  const stored = (believed: Stored): Stored => ({
    ...believed,
    object: form.toStored(believed.object),
  })
  const outcome = (written: WriteOutcome): WriteOutcome => {
    if (written.kind === 'written') return { ...written, now: shown(written.now) }
    return written.found ? { ...written, found: shown(written.found) } : written
  }
  return {
    async get(key) {
      const found = await storage.get(key)
      return found && shown(found)
    },
    create: async (object: KubeObject) => outcome(await storage.create(form.toStored(object))),
    replace: async (object, believed) =>
      outcome(await storage.replace(form.toStored(object), stored(believed))),
    remove: async (believed) => outcome(await storage.remove(stored(believed))),
    async page(request) {
      const page = await storage.page(request)
      return { ...page, items: page.items.map(shown) }
    },
  }
}
