/** What a feature may add to the fleet view. features.ts lists them. */
import type { ComponentType } from 'preact'
import type { KubeObject } from '../../shared/kube/objects.ts'
import type { NodeMatcher } from '../state/filter.ts'
import type { ZoneNodes, ZoneView } from '../state/zone-view.ts'

export interface NodeSource {
  readonly path: string
  readonly read: (object: KubeObject) => ZoneNodes
}

export interface ZonePictureProps {
  readonly view: ZoneView
  readonly matches: NodeMatcher
}

export interface FleetFeature {
  readonly name: string
  /** Replaces the list of Node objects, where something smaller says the same. */
  readonly nodeSource?: NodeSource
  /** At the foot of each zone's card. */
  readonly ZonePicture?: ComponentType<ZonePictureProps>
}
