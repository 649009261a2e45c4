/**
 * A client that keeps a copy, as informers do: by name, from the last version it saw, and afresh
 * after a 410.
 */
import type { Frame, OpenWatch, WatchWorld } from './watch-world.ts'

export interface Informer {
  /** Name -> uid and version. */
  readonly copy: Map<string, string>
  readonly relists: () => number
  /** Takes in what came, or only the first so many frames. */
  read(limit?: number): void
  /** Cut off after so many of the frames that wait; goes on from the last version it saw. */
  reconnect(afterFrames?: number): Promise<void>
}

export interface InformerOptions {
  readonly path: string
  readonly query?: string
}

export async function informer(
  w: WatchWorld,
  { path, query = '' }: InformerOptions,
): Promise<Informer> {
  const copy = new Map<string, string>()
  let version = ''
  let lists = 0
  let watch: OpenWatch

  const list = async () => {
    const { body } = await w.call('GET', `${path}?${query}`)
    copy.clear()
    for (const { metadata } of body.items) copy.set(nameOf(metadata), stateOf(metadata))
    version = body.metadata.resourceVersion
    lists += 1
  }
  const open = async () => {
    const from = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`
    watch = await w.watch(`${path}?${from}&${query}`)
  }
  const apply = ({ type, object }: Frame) => {
    if (type === 'ERROR') return
    version = object.metadata.resourceVersion
    if (type === 'DELETED') copy.delete(nameOf(object.metadata))
    else if (type !== 'BOOKMARK') copy.set(nameOf(object.metadata), stateOf(object.metadata))
  }

  await list()
  await open()
  return {
    copy,
    relists: () => lists - 1,
    read(limit = Number.POSITIVE_INFINITY) {
      for (const frame of watch.take().slice(0, limit)) apply(frame)
    },
    async reconnect(afterFrames = Number.POSITIVE_INFINITY) {
      const frames = watch.take()
      for (const frame of frames.slice(0, afterFrames)) apply(frame)
      await watch.cut()
      if (frames[0]?.type === 'ERROR') await list()
      await open()
    },
  }
}

type Meta = {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
}
const nameOf = ({ namespace = '', name }: Meta) => `${namespace}/${name}`
const stateOf = ({ uid, resourceVersion }: Meta) => `${uid} ${resourceVersion}`

/** What a list shows, in the form of an informer's copy. */
export async function listed(w: WatchWorld, { path, query = '' }: InformerOptions) {
  const { body } = await w.call('GET', `${path}?${query}`)
  const metas = body.items.map(({ metadata }: { metadata: Meta }) => metadata)
  return new Map<string, string>(metas.map((meta: Meta) => [nameOf(meta), stateOf(meta)]))
}
