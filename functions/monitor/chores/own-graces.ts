/**
 * A host with a grace of its own (an annotation on its Node) should renew in the rhythm of it. The
 * grace is noted on its lease, from where the answer to a renewal takes it: no renewal pays a read
 * for it. A lease that was made anew, or an annotation that changed, is found by comparing at every
 * tick.
 */
import { GRACE_ANNOTATION, nodeGraceMs } from '../../../shared/lifecycle/liveness/health.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { KnownNode, World } from '../../../shared/lifecycle/world.ts'
import type { WriteStep } from '../../../shared/store/ports.ts'
import type { Chore } from './chore.ts'

/** What is left over is done at the next tick. */
const MOST_AT_ONCE = 500

export const ownGracesChore: Chore = {
  name: "note hosts' own graces",
  everyMs: 0,
  async work({ deps }, { world }) {
    const steps = ownGraceSteps(world, deps.settings).slice(0, MOST_AT_ONCE)
    // One commit each: a lease that has gone meanwhile must not hold up the others.
    await Promise.all(steps.map((step) => deps.store.commit([step])))
  },
}

function ownGraceSteps({ nodes, beats }: World, settings: Settings): readonly WriteStep[] {
  const steps: WriteStep[] = []
  for (const { name, ownGraceMs: noted } of beats.values()) {
    const node = nodes.get(name)
    const ownGraceMs = node && ownGraceOf(node, settings)
    if (!node || ownGraceMs === noted) continue
    steps.push({ do: 'setOwnGrace', nodeName: name, ...(ownGraceMs && { ownGraceMs }) })
  }
  return steps
}

function ownGraceOf({ object }: KnownNode, settings: Settings): number | undefined {
  const isAnnotated = object.metadata.annotations?.[GRACE_ANNOTATION] !== undefined
  return isAnnotated ? nodeGraceMs(object, settings) : undefined
}
