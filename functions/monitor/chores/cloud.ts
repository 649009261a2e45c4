/** Does the machine behind a silent node still exist? Asked when a provider is switched on. */
import {
  askCloud,
  type CloudInstances,
  deletionEvent,
  judgeInstance,
  needsAnswer,
  SHUTDOWN_TAINT,
} from '../../../shared/lifecycle/cloud.ts'
import type { KnownNode } from '../../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import { type Applying, settle, storedOf } from '../apply/applying.ts'
import { updateNodes } from '../apply/nodes.ts'
import { runPool } from '../apply/pool.ts'
import { commitTogether, type Fate } from '../apply/together.ts'
import type { Session } from '../session.ts'

export const CLOUD_EVERY_MS = 5_000
/**
 * A provider limits how often it may be asked; who is not reached now is asked in the next round.
 */
export const MOST_ASKED = 100

export async function askAboutMachines(
  session: Session,
  applying: Applying,
  cloud: CloudInstances,
): Promise<void> {
  if (session.deps.settings.observe) return
  const nodes = [...session.nodes.objects.values()] as KnownNode[]
  const concerned = inTurn(nodes.filter(isConcerned), applying.nowMs)
  const jobs = concerned.map((node) => async () => {
    const answer = needsAnswer(node.object) ? await askCloud(cloud, node.object) : 'running'
    const verdict = judgeInstance(node.object, answer)
    if (verdict.kind === 'delete') await removeNode(applying, node)
    if (verdict.kind === 'addShutdownTaint' || verdict.kind === 'removeShutdownTaint') {
      const next = { ...node.object, spec: { ...node.object.spec, taints: verdict.taints } }
      await updateNodes(applying, [{ node, next }], 'cloud')
    }
  })
  applying.tally.unfinished += await runPool(jobs, applying)
}

/** Each round begins behind the last one's end, or those in front would be the only ones asked. */
function inTurn(nodes: readonly KnownNode[], nowMs: number): readonly KnownNode[] {
  if (nodes.length <= MOST_ASKED) return nodes
  const from = (Math.floor(nowMs / CLOUD_EVERY_MS) * MOST_ASKED) % nodes.length
  return [...nodes.slice(from), ...nodes.slice(0, from)].slice(0, MOST_ASKED)
}

function isConcerned({ object }: KnownNode): boolean {
  if (needsAnswer(object)) return true
  return object.spec?.taints?.some(({ key }) => key === SHUTDOWN_TAINT.key) ?? false
}

const reasonOf = (fate: Fate<string>): string =>
  fate.kind === 'failed' ? String(fate.error) : 'it was changed meanwhile'

/** With its lease, as deleting it by hand does; its pods follow as orphans. */
async function removeNode(applying: Applying, node: KnownNode): Promise<void> {
  const { name } = node.key
  const { deps } = applying
  deps.log({ level: 'info', ...deletionEvent(name) })
  const steps = [
    { do: 'deleteObject' as const, believed: storedOf(node) },
    { do: 'dropLease' as const, key: { namespace: nodeLeaseNamespace, name } },
  ]
  const [fate] = await commitTogether(deps.store, [{ of: name, steps }])
  if (settle(applying, 'cloud', fate!)) applying.nodes.drop(node.key)
  else deps.log({ level: 'warn', ...deletionEvent(name, reasonOf(fate!)) })
}
