/** GET of a collection: a page if `limit` asks for one, else all of it, streamed when long. */
import { tooLarge } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { encodeContinue } from '../request/continue-token.ts'
import { type ListOptions, listOptions } from '../request/list-options.ts'
import { jsonHeaders, respondWithStream, respondWithText } from '../response/json-response.ts'
import { type ListShape, listShape } from '../response/list-shape.ts'
import { type Matched, matchingPages, onePage } from './matching-pages.ts'

export async function listCollection(request: ResourceRequest): Promise<Response> {
  const options = listOptions(request)
  const shape = listShape(request)
  if (options.limit !== undefined) return await respondWithPage(request, options, shape)

  const pages = matchingPages(request, options.after)[Symbol.asyncIterator]()
  // Read before the response begins, so that a failure can still be a Status.
  const first = await pages.next()
  const chunks = textOf(shape, options.version, first.value, pages)
  const isLong = first.value?.next !== undefined
  if (isLong && request.api.settings.responseLimitBytes === undefined) {
    return respondWithStream(request.raw, chunks, jsonHeaders())
  }
  return await respondWithList(request, chunks)
}

async function respondWithPage(request: ResourceRequest, options: ListOptions, shape: ListShape) {
  const { items, next, remaining } = await onePage(request, options.after, options.limit!)
  const metadata = {
    resourceVersion: String(options.version),
    ...(next && { continue: encodeContinue({ after: next, version: options.version }) }),
    ...(next && remaining !== undefined && { remainingItemCount: remaining }),
  }
  const rows = items.map(({ object }) => shape.item(object)).join(',')
  return await respondWithList(request, [`${shape.open(metadata)}${rows}${shape.close}`])
}

async function* textOf(
  shape: ListShape,
  version: number,
  first: Matched | undefined,
  rest: AsyncIterator<Matched>,
): AsyncIterable<string> {
  yield shape.open({ resourceVersion: String(version) })
  let separator = ''
  for (let page = first; page; page = (await rest.next()).value) {
    if (page.items.length > 0) {
      yield separator + page.items.map(({ object }) => shape.item(object)).join(',')
      separator = ','
    }
  }
  yield shape.close
}

/** Behind an ingress that buffers, a list that does not fit is refused, never cut short. */
async function respondWithList(
  request: ResourceRequest,
  chunks: AsyncIterable<string> | Iterable<string>,
): Promise<Response> {
  const limit = request.api.settings.responseLimitBytes ?? Number.POSITIVE_INFINITY
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    if (text.length > limit) throw tooLong(limit)
  }
  if (limit !== Number.POSITIVE_INFINITY && bytesWithin(text) > limit) throw tooLong(limit)
  return await respondWithText(request.raw, text, 200, jsonHeaders())
}

/** Such an ingress wraps the body as a string in JSON, where every quote takes two characters. */
const bytesWithin = (text: string): number => Buffer.byteLength(JSON.stringify(text))

const tooLong = (limitBytes: number) =>
  tooLarge(
    `the list does not fit into an answer of ${limitBytes} bytes: ask for pages with limit=100`,
  )
