/** Why something is held back, for people. */
import { holdMessages } from '../../shared/lifecycle/holds.ts'
import type { HoldReason } from '../../shared/lifecycle/world.ts'

/** Records are read back as text; a reason of a newer version is shown as it is. */
export const messageOf = (held: readonly string[]): string =>
  held.map((why) => holdMessages[why as HoldReason] ?? why).join(' ')
