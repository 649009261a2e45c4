/**
 * DELETE of a collection: whatever matches the selectors goes, as if each were deleted by its name.
 * One request does a bounded amount of work. When more is left it says so with 429, on which clients
 * send the same request again; what is gone by then is no longer in their way.
 */
import { StatusError, tooManyRequests } from '../../../shared/kube/status-error.ts'
import type { Key } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import { encodeContinue } from '../request/continue-token.ts'
import { listOptions } from '../request/list-options.ts'
import { jsonHeaders, respondWithText } from '../response/json-response.ts'
import { listShape } from '../response/list-shape.ts'
import { respondWithJson } from '../response/object-response.ts'
import type { Stored } from '../storage/resource-storage.ts'
import { deleteObject } from './delete.ts'
import { type DeleteOptions, readDeleteOptions } from './delete-options.ts'
import { matchingPages } from './matching-pages.ts'

// client-go sends a request ten times at most: ten thousand objects for one call of it.
const MAX_DELETIONS = 1_000
// Well before API Gateway closes the connection.
const BUDGET_MS = 15_000
const MAX_ANSWER_CHARACTERS = 8 * 1024 * 1024
const PAGE_SIZE = 200
const AT_ONCE = 8
const RETRY_SECONDS = 1

export async function removeCollection(request: ResourceRequest): Promise<Response> {
  const { api, raw, resource } = request
  const options = await readDeleteOptions(request)
  const { limit, after, version } = listOptions(request)
  const shape = listShape(request)
  const most = Math.min(limit ?? MAX_DELETIONS, MAX_DELETIONS)
  const { deleted, next } = await deleteMatching(request, options, { after, most })

  // A dry run leaves everything in the way of the next request, so only a token leads past it.
  const isPage = limit !== undefined || (options.dryRun ?? []).length > 0
  if (next && !isPage) {
    const count = `${deleted.length} ${resource.plural} were deleted and more are left`
    throw tooManyRequests(`${count}: send the same request again`, RETRY_SECONDS)
  }
  // Behind an ingress that buffers the list may not fit, and it is too late to refuse.
  if (api.settings.responseLimitBytes !== undefined) return await respondWithJson(request, DONE)
  const metadata = {
    resourceVersion: String(version),
    ...(next && { continue: encodeContinue({ after: next, version }) }),
  }
  const rows = deleted.map(({ object }) => shape.item(object)).join(',')
  return await respondWithText(raw, shape.open(metadata) + rows + shape.close, 200, jsonHeaders())
}

const DONE = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 }

interface Progress {
  /** As they were found. What was being deleted already is not among them. */
  readonly deleted: readonly Stored[]
  /** The last key that was dealt with, when there are more. */
  readonly next?: Key
}

async function deleteMatching(
  request: ResourceRequest,
  options: DeleteOptions,
  { after, most }: { readonly after?: Key; readonly most: number },
): Promise<Progress> {
  const { clock } = request.api
  const endMs = clock() + BUDGET_MS
  const deleted: Stored[] = []
  let characters = 0
  let last = after
  for await (const page of matchingPages(request, after, PAGE_SIZE)) {
    for (let rest = page.items; rest.length > 0; ) {
      const room = Math.min(AT_ONCE, most - deleted.length)
      const isSpent = room === 0 || characters > MAX_ANSWER_CHARACTERS || clock() > endMs
      if (isSpent && last) return { deleted, next: last }
      const some = rest.slice(0, room)
      const gone = await deleteSome(request, options, some)
      deleted.push(...gone)
      for (const { object } of gone) characters += JSON.stringify(object).length
      last = some.at(-1)!.key
      rest = rest.slice(some.length)
    }
  }
  return { deleted }
}

async function deleteSome(
  request: ResourceRequest,
  options: DeleteOptions,
  items: readonly Stored[],
): Promise<readonly Stored[]> {
  const outcomes = await Promise.allSettled(items.map((item) => deleteOne(request, options, item)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return items.filter((_, i) => (outcomes[i] as PromiseFulfilledResult<boolean>).value)
}

/** False when there was nothing left to do: gone, or marked by an earlier request. */
async function deleteOne(
  request: ResourceRequest,
  options: DeleteOptions,
  found: Stored,
): Promise<boolean> {
  try {
    const one: ResourceRequest = { ...request, verb: 'delete', key: found.key }
    const { kind, object } = await deleteObject(one, options, { found })
    return kind === 'removed' || object !== found.object
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false
    throw error
  }
}
