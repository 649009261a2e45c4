/**
 * How does a whole fleet fit on one page? One line per node: its name, one letter of state, since
 * when. The monitor writes these summaries when they change; the dashboard draws each line as a
 * cell.
 */
import type { NodeState, NodeSummary } from '../liveness/node-summary.ts'

/** About 40 bytes a node: far below what one item may hold, and a change rewrites little. */
export const CELLS_PER_CHUNK = 2_000

const letters: Readonly<Record<NodeState, string>> = {
  evicting: 'e',
  unknown: 'u',
  notReady: 'n',
  cordoned: 'c',
  ready: 'r',
}
const states = new Map(
  Object.entries(letters).map(([state, letter]) => [letter, state as NodeState]),
)

export function encodeCells(cells: readonly NodeSummary[]): string {
  return cells
    .map(
      ({ name, state, sinceSeconds }) => `${name} ${letters[state]} ${sinceSeconds.toString(36)}`,
    )
    .join('\n')
}

export function decodeCells(text: string): NodeSummary[] {
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
