/**
 * Hosts with a grace of their own should beat in its rhythm. The grace is noted on their lease,
 * from where the answer to a beat takes it: no beat pays a read for it. A lease that was made anew,
 * or an annotation that changed, is found by comparing at every tick.
 */
import { GRACE_ANNOTATION, nodeGraceMs, type Settings } from '../../../shared/lifecycle/settings.ts'
import type { KnownNode, World } from '../../../shared/lifecycle/world.ts'
import type { Step } from '../../../shared/store/ports.ts'
import type { Applying } from '../apply/applying.ts'

/** What is left over is done at the next tick. */
const MOST_AT_ONCE = 500

export async function noteOwnGraces({ deps }: Applying, world: World): Promise<void> {
  const steps = ownGraceSteps(world, deps.settings).slice(0, MOST_AT_ONCE)
  // Each for itself: a lease that has gone meanwhile must not hold up the others.
  await Promise.all(steps.map((step) => deps.store.commit([step])))
}

export function ownGraceSteps({ nodes, beats }: World, settings: Settings): readonly Step[] {
  const steps: Step[] = []
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
