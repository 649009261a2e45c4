/**
 * Where it is kept who joined under a node name: one record per name, gone a while after its node
 * fell silent.
 */
import type { Step, Store } from '../store/ports.ts'
import type { Join } from './join.ts'

/**
 * How long after its last token renewal a machine can still come back by itself, with its proof.
 */
const JOIN_KEPT_MS = 30 * 24 * 60 * 60_000

const nameOf = (nodeName: string) => `join/${nodeName}`

export const readJoin = ({ records }: Store, nodeName: string) =>
  records.get<Join>(nameOf(nodeName))

export interface JoinWrite {
  readonly nodeName: string
  readonly join: Join
  /** The version read; absent when there was none. */
  readonly believed?: number
  readonly nowMs: number
}

export function putJoin({ nodeName, join, believed, nowMs }: JoinWrite): Step {
  const expiresAtMs = nowMs + JOIN_KEPT_MS
  return { do: 'putRecord', name: nameOf(nodeName), value: join, believed, expiresAtMs }
}
