/** Does the machine behind a silent node still exist? Asked when a provider is switched on. */
import {
  askCloud,
  type CloudInstances,
  deletionEvent,
  judgeInstance,
  needsAnswer,
  SHUTDOWN_TAINT,
} from '../../../../shared/lifecycle/cloud/cloud.ts'
import type { KnownNode } from '../../../../shared/lifecycle/world.ts'
import { nodeDependents } from '../../../../shared/store/node-dependents.ts'
import { type BatchResult, commitBatch } from '../../apply/commit-batch.ts'
import {
  type ApplyContext,
  countResult,
  recordEvent,
  runJobs,
  storedOf,
} from '../../apply/context.ts'
import { updateNodes } from '../../apply/nodes.ts'
import type { MonitorFeature } from '../../chores/chore.ts'

declare module '../../deps.ts' {
  interface MonitorDeps {
    /** Absent: no cloud is asked whether the machine of a silent node still exists. */
    readonly instances?: CloudInstances
  }
}

const EVERY_MS = 5_000
/** A provider limits how often it may be asked; nodes beyond this are asked about in the next round. */
export const MOST_ASKED = 100

export const cloudCheckFeature: MonitorFeature = {
  chore({ deps }) {
    const { instances, settings } = deps
    if (!instances || settings.observe) return undefined
    const work = (context: ApplyContext) => checkMachines(context, instances)
    return { name: 'ask about machines', everyMs: EVERY_MS, work }
  },
  async lambdaDeps(env, settings) {
    if (settings.cloudProvider !== 'aws') return {}
    const { lambdaInstances } = await import('./ec2-instances.ts')
    return { instances: lambdaInstances(env) }
  },
}

async function checkMachines(context: ApplyContext, cloud: CloudInstances): Promise<void> {
  const nodes = [...context.nodes.objects.values()] as KnownNode[]
  const concerned = inTurn(nodes.filter(isConcerned), context.nowMs)
  const jobs = concerned.map((node) => async () => {
    const answer = needsAnswer(node.object) ? await askCloud(cloud, node.object) : 'running'
    const verdict = judgeInstance(node.object, answer)
    if (verdict.kind === 'delete') await removeNode(context, node)
    if (verdict.kind === 'addShutdownTaint' || verdict.kind === 'removeShutdownTaint') {
      const next = { ...node.object, spec: { ...node.object.spec, taints: verdict.taints } }
      await updateNodes(context, [{ node, next }], 'cloud')
    }
  })
  await runJobs(context, jobs)
}

/** Each round begins behind the last one's end, or those in front would be the only ones asked. */
function inTurn(nodes: readonly KnownNode[], nowMs: number): readonly KnownNode[] {
  if (nodes.length <= MOST_ASKED) return nodes
  const from = (Math.floor(nowMs / EVERY_MS) * MOST_ASKED) % nodes.length
  return [...nodes.slice(from), ...nodes.slice(0, from)].slice(0, MOST_ASKED)
}

function isConcerned({ object }: KnownNode): boolean {
  if (needsAnswer(object)) return true
  return object.spec?.taints?.some(({ key }) => key === SHUTDOWN_TAINT.key) ?? false
}

const reasonOf = (result: BatchResult<string>): string =>
  result.kind === 'failed' ? String(result.error) : 'it was changed meanwhile'

/** With what it owns, as deleting it by hand does; its pods follow as orphans. */
async function removeNode(context: ApplyContext, node: KnownNode): Promise<void> {
  const { name } = node.key
  const { deps } = context
  await recordEvent(context, deletionEvent(node))
  const dependents = await nodeDependents(deps.store, node)
  const steps = [{ do: 'deleteObject' as const, believed: storedOf(node) }, ...dependents]
  const [result] = await commitBatch(deps.store, [{ of: name, steps }])
  if (countResult(context, 'cloud', result!)) context.nodes.drop(node.key)
  else await recordEvent(context, deletionEvent(node, reasonOf(result!)))
}
