/** Why is something as it is? Asks the decision that the monitor would make of the same world. */
import type { Settings } from '../settings.ts'
import type { World } from '../world.ts'
import type { Explanation } from './explanation.ts'
import { judge } from './judged.ts'
import { explainNode } from './node.ts'
import { explainPod } from './pod.ts'
import { explainFleet, explainZone } from './zone.ts'

export interface Explainer {
  readonly fleet: () => Explanation
  readonly node: (name: string) => Explanation | undefined
  readonly pod: (namespace: string, name: string) => Explanation | undefined
  /** By zone key. */
  readonly zone: (key: string) => Explanation | undefined
  readonly zoneKeys: readonly string[]
  /** The fleet, zones and nodes about which something is to be said, in this order. */
  readonly troubled: () => readonly Explanation[]
}

export function explainer(world: World, nowMs: number, settings: Settings): Explainer {
  const judged = judge(world, nowMs, settings)
  const node = (name: string) => {
    const found = world.nodes.get(name)
    return found && explainNode(judged, found)
  }
  const zoneKeys = [...judged.zones.keys()].sort()
  return {
    fleet: () => explainFleet(judged),
    node,
    zone: (key) => explainZone(judged, key),
    pod(namespace, name) {
      for (const pods of world.podsByNode.values()) {
        const found = pods.find(({ key }) => key.namespace === namespace && key.name === name)
        if (found) return explainPod(judged, found)
      }
      return undefined
    },
    zoneKeys,
    troubled: () =>
      [
        explainFleet(judged),
        ...zoneKeys.map((key) => explainZone(judged, key)),
        ...[...world.nodes.keys()].sort().map(node),
      ].flatMap((one) => (one && !one.isCalm ? [one] : [])),
  }
}
