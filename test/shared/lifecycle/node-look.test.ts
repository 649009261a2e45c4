import { describe, expect } from 'vitest'
import { decide } from '../../../shared/lifecycle/decide.ts'
import { newZone } from '../../../shared/lifecycle/disruption.ts'
import { defaultSettings } from '../../../shared/lifecycle/settings.ts'
import type { Action } from '../../../shared/lifecycle/world.ts'
import { zoneKey } from '../../../shared/lifecycle/zone-key.ts'
import { knownNode, worldOf } from './fleet.ts'
import { nodeOf, type VectorNode } from './vector-shapes.ts'
import { casesOf, runCases } from './vectors.ts'

interface Given {
  readonly known: readonly string[]
  readonly zoneStates: Readonly<Record<string, string>>
  readonly nodes: readonly VectorNode[]
}
interface Expected {
  readonly added: readonly string[]
  readonly deleted: readonly string[]
  readonly newZoneRepresentatives: readonly string[]
}

describe('classify-nodes vectors', () => {
  runCases('classify-nodes', casesOf<Given, Expected>('classify-nodes'), (given, expected) => {
    const nodes = given.nodes.map((node) => knownNode(nodeOf(node)))
    const uids = new Map(nodes.map(({ key, uid }) => [key.name, uid]))
    const greeted = new Map(given.known.map((name) => [name, uids.get(name) ?? 'gone']))
    const zone = { version: 1, value: newZone(defaultSettings, 0) }
    const zones = new Map(Object.keys(given.zoneStates).map((key) => [key, zone]))

    const { actions } = decide(worldOf(nodes, [], { greeted, zones }), 0, defaultSettings)
    const told = (reason: string) =>
      actions.flatMap((action) =>
        action.do === 'event' && action.event.reason === reason
          ? [action.event.involvedObject.name]
          : [],
      )
    expect(told('RegisteredNode').sort()).toEqual([...expected.added].sort())
    expect(told('RemovingNode').sort()).toEqual([...expected.deleted].sort())
    const created = new Set(actions.flatMap(createdZones))
    const representatives = nodes
      .filter(({ key, object }) => greeted.has(key.name) && created.has(zoneKey(object)))
      .map(({ key }) => key.name)
    expect(representatives.sort()).toEqual([...expected.newZoneRepresentatives].sort())
  })
})

/** A zone is new when its record must not exist yet, whichever action writes it. */
function createdZones(action: Action): readonly string[] {
  if (action.do !== 'zoneChanged' && action.do !== 'enterDisruption') return []
  const changes = action.do === 'zoneChanged' ? [action.zone] : action.zones
  return changes.filter(({ believed }) => believed === undefined).map(({ key }) => key)
}
