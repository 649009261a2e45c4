/** What a feature may add to the view of a node. features.ts lists them. */
import type { ComponentType } from 'preact'
import type { KubeObject } from '../../shared/kube/objects.ts'

export interface NodeFeature {
  readonly name: string
  /** A list of at most one object, which is about this node. */
  readonly path: (node: string) => string
  readonly pollMs: number
  /** Above what happens next. */
  readonly Panel: ComponentType<{ readonly object: KubeObject | undefined }>
  /** When its turn in the queue of its zone comes, where that is known. */
  readonly taintAtMs?: (object: KubeObject) => number | undefined
}
