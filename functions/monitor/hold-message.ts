/** Why something is held back, for people. */
import type { HoldReason } from '../../shared/lifecycle/world.ts'

const sentences: Readonly<Record<HoldReason, string>> = {
  blind: 'The monitor doubts what it sees, so nobody is marked or evicted and no clock runs.',
  observe: 'This install only observes: it decides and tells, and changes nothing.',
  fleetPaused: 'Somebody paused evictions for the whole fleet.',
  zonePaused: 'Somebody paused evictions in this zone.',
  maintenance: 'The node is in maintenance.',
  settling: 'The node fell silent only a moment ago.',
  fleetDisrupted: 'Every zone is down at once, so nobody is evicted.',
  zoneStopped: 'Too much of this zone is down, so nobody in it is evicted.',
  waitingForToken: 'The zone is evicted node by node, and others come first.',
}

export const messageOf = (held: readonly string[]): string =>
  held.map((why) => sentences[why as HoldReason] ?? why).join(' ')
