/**
 * How does a whole fleet fit on one page? One word per node: its name, one letter of state, since
 * when. The monitor writes these summaries when they change; the dashboard draws each word as a
 * cell.
 */
import type { KubeObject, Node } from '../kube/objects.ts'
import { parseTimeMs } from '../kube/time.ts'
import { isLifecycleTaint, taintsOf } from './taints.ts'

/** Worst first: a node is shown as the first that is true of it. */
export const cellStates = ['evicting', 'unknown', 'notReady', 'cordoned', 'ready'] as const
export type CellState = (typeof cellStates)[number]

export interface Cell {
  readonly name: string
  readonly state: CellState
  /** When Ready last changed; 0 when it never reported. */
  readonly sinceSeconds: number
}

/** A part of a zone, as an object that kubectl can read too. */
export interface Cells extends KubeObject {
  readonly zone: string
  readonly nodes: string
}

/** About 40 bytes a node: far below what one item may hold, and a change rewrites little. */
export const CELLS_PER_CHUNK = 2_000

const letters: Readonly<Record<CellState, string>> = {
  evicting: 'e',
  unknown: 'u',
  notReady: 'n',
  cordoned: 'c',
  ready: 'r',
}
const states = new Map(
  Object.entries(letters).map(([state, letter]) => [letter, state as CellState]),
)

export function cellOf(node: Node): Cell {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')
  const sinceMs = parseTimeMs(ready?.lastTransitionTime ?? '') ?? 0
  return {
    name: node.metadata.name ?? '',
    state: stateOf(node, ready?.status),
    sinceSeconds: Math.floor(sinceMs / 1000),
  }
}

function stateOf(node: Node, ready: string | undefined): CellState {
  if (taintsOf(node).some(isLifecycleTaint)) return 'evicting'
  if (ready === undefined || ready === 'Unknown') return 'unknown'
  if (ready === 'False') return 'notReady'
  return node.spec?.unschedulable ? 'cordoned' : 'ready'
}

export function encodeCells(cells: readonly Cell[]): string {
  return cells
    .map(
      ({ name, state, sinceSeconds }) => `${name} ${letters[state]} ${sinceSeconds.toString(36)}`,
    )
    .join('\n')
}

export function decodeCells(text: string): Cell[] {
  if (text === '') return []
  return text.split('\n').map((line) => {
    const [name = '', letter = '', since = '0'] = line.split(' ')
    const sinceSeconds = Number.parseInt(since, 36)
    // A letter of a newer server is shown as the state that makes people look.
    return { name, state: states.get(letter) ?? 'unknown', sinceSeconds }
  })
}

/** How many chunks a zone of this size has: a power of two, so that growing moves few nodes. */
export function chunkCount(nodes: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(nodes / CELLS_PER_CHUNK)))
}
