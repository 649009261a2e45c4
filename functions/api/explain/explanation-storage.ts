/**
 * Explanations behind the storage interface of the verbs. Names: a node's own, or `node.NAME`,
 * `zone.NAME` of a Zone object, `pod.NAMESPACE.NAME`, `fleet`. A list has what is not calm; one that
 * asks for a name has that one, calm or not.
 */
import type { ExplanationObject } from '../../../shared/kube/explanation/resource.ts'
import { methodNotAllowed } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { Explainer } from '../../../shared/lifecycle/explain/explain.ts'
import { type Explanation, explanationText } from '../../../shared/lifecycle/explain/explanation.ts'
import { nameOfZone } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import {
  type ComputedStorage,
  compareKeys,
  type Page,
  type ResourceStorage,
  type Stored,
} from '../storage/resource-storage.ts'
import { readExplainer } from './explained-world.ts'

export const explanationStorage: ComputedStorage = { plural: 'explanations', open: openStorage }

function openStorage(store: Store, nowMs: number): ResourceStorage {
  const refuse = async () => {
    throw methodNotAllowed()
  }
  return {
    get: async ({ name }) => {
      const found = await explainNamed(store, name, nowMs)
      return found && storedExplanation(name, found, nowMs)
    },
    async page({ after, limit, exact }): Promise<Page> {
      const asked = exact['metadata.name']
      if (asked !== undefined) {
        const found = await explainNamed(store, asked, nowMs)
        return { items: found ? [storedExplanation(asked, found, nowMs)] : [] }
      }
      const one = await readExplainer(store, 'all', nowMs)
      const items = one
        .troubled()
        .map((found) => storedExplanation(nameOf(found), found, nowMs))
        .filter(({ key }) => !after || compareKeys(key, after) > 0)
        .sort((a, b) => compareKeys(a.key, b.key))
      const page = items.slice(0, limit)
      return { items: page, ...(page.length < items.length && { next: page.at(-1)!.key }) }
    },
    create: refuse,
    replace: refuse,
    remove: refuse,
  }
}

/** Reads no more pods than the question needs. */
export async function explainNamed(
  store: Store,
  name: string,
  nowMs: number,
): Promise<Explanation | undefined> {
  const [kind, ...rest] = name.split('.')
  const of = rest.join('.')
  if (kind === 'pod') {
    const [namespace = '', ...words] = rest
    return (await readExplainer(store, 'all', nowMs)).pod(namespace, words.join('.'))
  }
  const one = await readExplainer(store, { node: kind === 'node' ? of : name }, nowMs)
  const node = one.node(name) ?? (kind === 'node' ? one.node(of) : undefined)
  if (node) return node
  if (name === 'fleet') return one.fleet()
  return kind === 'zone' ? zoneNamed(one, of) : undefined
}

function zoneNamed(one: Explainer, name: string): Explanation | undefined {
  const key = one.zoneKeys.find((each) => nameOfZone(each) === name)
  return key === undefined ? undefined : one.zone(key)
}

function nameOf({ kind, name }: Explanation): string {
  if (kind === 'zone') return `zone.${name}`
  return kind === 'pod' ? `pod.${name.replace('/', '.')}` : name
}

function storedExplanation(name: string, found: Explanation, nowMs: number): Stored {
  const { kind, what, rule, because, atMs, undoneBy, next, nextAtMs } = found
  const version = nowMs * 1_000
  const object: ExplanationObject = {
    apiVersion: 'leasehold.dev/v1',
    kind: 'Explanation',
    metadata: { name, uid: name, resourceVersion: String(version) },
    status: {
      subject: kind,
      what,
      rule,
      because,
      ...(atMs !== undefined && { since: formatTime(atMs) }),
      ...(undoneBy && { undoneBy }),
      ...(next && { next }),
      ...(nextAtMs !== undefined && { nextTime: formatTime(nextAtMs) }),
      text: explanationText(found),
    },
  }
  return { key: { namespace: '', name }, uid: name, version, object }
}
