/** What the monitor does after a tick beside judging nodes: the shape of one such thing. */
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { ApplyContext } from '../apply/context.ts'
import type { MonitorDeps } from '../deps.ts'
import type { MonitorSession } from '../session.ts'
import type { TickReport } from '../tick.ts'

export interface Chore {
  /** Ends the sentence "could not ...". */
  readonly name: string
  /** At most this often; 0 is after every tick. */
  readonly everyMs: number
  readonly work: (context: ApplyContext, report: TickReport) => Promise<void>
}

/**
 * A part of the monitor that can be deleted: its files, their tests and its two lines in
 * `features.ts`. Nothing but that list imports it.
 */
export interface MonitorFeature {
  /** One for each session of a monitor; undefined where it is switched off. */
  readonly chore: (session: MonitorSession) => Chore | undefined
  /** What the feature alone needs from AWS, loaded where the settings ask for it. */
  readonly lambdaDeps?: (
    env: NodeJS.ProcessEnv,
    settings: Settings,
  ) => Promise<Partial<MonitorDeps>>
}
