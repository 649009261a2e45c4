/** Which nodes match a label selector? Node summaries carry no labels, so the server is asked. */
import { useEffect, useState } from 'preact/hooks'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { parseLabelSelector } from '../../shared/kube/selectors.ts'
import type { KubeList } from '../api/collection.ts'
import { paths } from '../api/paths.ts'
import { useSession } from '../page/session.ts'

interface LabelMatches {
  /** Undefined: no selector, or no answer yet. */
  readonly names?: ReadonlySet<string>
  readonly error?: string
}

/** Ten thousand nodes without their spec and status. */
const NAMES_ONLY =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
/** One request for what is typed quickly. */
const DEBOUNCE_MS = 250
const REFRESH_MS = 30_000

export function useLabelSelector(selector: string): LabelMatches {
  const { client } = useSession()
  const [labelled, setLabelled] = useState<LabelMatches>({})
  useEffect(() => {
    const error = syntaxError(selector)
    setLabelled((before) => (selector === '' || error ? { error } : { names: before.names }))
    if (selector === '' || error) return undefined
    const ending = new AbortController()
    const read = async () => {
      const path = `${paths.nodes}?labelSelector=${encodeURIComponent(selector)}`
      const options = { signal: ending.signal, accept: NAMES_ONLY }
      try {
        const { items = [] } = await client.get<KubeList<KubeObject>>(path, options)
        setLabelled({ names: new Set(items.map(({ metadata }) => metadata.name ?? '')) })
      } catch (error) {
        if (!ending.signal.aborted) setLabelled({ error: (error as Error).message })
      }
    }
    const first = setTimeout(read, DEBOUNCE_MS)
    const again = setInterval(read, REFRESH_MS)
    return () => {
      ending.abort()
      clearTimeout(first)
      clearInterval(again)
    }
  }, [client, selector])
  return labelled
}

function syntaxError(selector: string): string | undefined {
  try {
    parseLabelSelector(selector)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
