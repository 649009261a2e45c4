/** Who does what was asked? Everything but the renewal of a lease, which has its own short way. */
import type { Verb } from '../../../shared/kube/resource.ts'
import { bind } from '../pods/binding.ts'
import { evict } from '../pods/eviction.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

type Handler = (request: ResourceRequest) => Promise<Response>

const VERBS: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
}

export function handlerOf({ verb, subresource }: ResourceRequest): Handler {
  if (subresource?.name === 'eviction') return evict
  if (subresource?.name === 'binding') return bind
  return VERBS[verb]
}
