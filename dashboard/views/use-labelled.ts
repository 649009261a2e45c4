/**
 * Which nodes match a label selector? Cells carry no labels, so the server is asked, and only
 * while a filter is on.
 */
import { useEffect, useState } from 'preact/hooks'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { parseLabelSelector } from '../../shared/kube/selectors.ts'
import type { KubeList } from '../api/collection.ts'
import { paths } from '../page/fleet-status.ts'
import { useSession } from '../page/session.ts'

export interface Labelled {
  /** Undefined: no filter, or not known yet. */
  readonly names?: ReadonlySet<string>
  readonly trouble?: string
}

/** Names are all we want of ten thousand nodes. */
const NAMES_ONLY =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
/** While somebody types. */
const SETTLE_MS = 250
const AGAIN_MS = 30_000

export function useLabelled(selector: string): Labelled {
  const { client } = useSession()
  const [labelled, setLabelled] = useState<Labelled>({})
  useEffect(() => {
    const trouble = troubleWith(selector)
    setLabelled((before) => (selector === '' || trouble ? { trouble } : { names: before.names }))
    if (selector === '' || trouble) return undefined
    const ending = new AbortController()
    const ask = async () => {
      const path = `${paths.nodes}?labelSelector=${encodeURIComponent(selector)}`
      const options = { signal: ending.signal, accept: NAMES_ONLY }
      try {
        const { items = [] } = await client.get<KubeList<KubeObject>>(path, options)
        setLabelled({ names: new Set(items.map(({ metadata }) => metadata.name ?? '')) })
      } catch (error) {
        if (!ending.signal.aborted) setLabelled({ trouble: (error as Error).message })
      }
    }
    const first = setTimeout(ask, SETTLE_MS)
    const again = setInterval(ask, AGAIN_MS)
    return () => {
      ending.abort()
      clearTimeout(first)
      clearInterval(again)
    }
  }, [client, selector])
  return labelled
}

function troubleWith(selector: string): string | undefined {
  try {
    parseLabelSelector(selector)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
