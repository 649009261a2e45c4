/** Notices above every view: why the service is not doing what it usually does. */
import { openInterval } from '../../shared/lifecycle/liveness/visibility.ts'
import { pausedBecause, type ReportedFleet, resourceVersionMs } from './fleet-objects.ts'
import { ago, clockAndAge } from './format.ts'

interface Banner {
  readonly id: 'silentMonitor' | 'blind' | 'disrupted' | 'paused' | 'observe'
  /** Without times: a screen reader reads it again whenever it changes. */
  readonly title: string
  readonly since: string
  readonly text: string
}

/** The monitor writes a sample for the history every minute; two were missed. */
const SILENT_AFTER_MS = 150_000

export function bannersOf(fleet: ReportedFleet | undefined, nowMs: number): readonly Banner[] {
  if (!fleet) return []
  const all = [silentMonitor(fleet, nowMs), blind(fleet, nowMs), disrupted(fleet, nowMs)]
  return [...all, paused(fleet, nowMs), observe(fleet)].filter((banner) => banner !== undefined)
}

function silentMonitor(fleet: ReportedFleet, nowMs: number): Banner | undefined {
  const atMs = resourceVersionMs(fleet)
  if (atMs === undefined || nowMs - atMs < SILENT_AFTER_MS) return undefined
  return {
    id: 'silentMonitor',
    title: 'The monitor is silent.',
    since: `It last reported ${ago(atMs, nowMs)}.`,
    text: 'States are as it saw them then. Until it is back nobody is marked, tainted or evicted.',
  }
}

function blind({ status }: ReportedFleet, nowMs: number): Banner | undefined {
  const open = openInterval(status?.record?.blind ?? [])
  if (!status?.blind && !open) return undefined
  const why = open ? `${capital(open.why)}. ` : ''
  return {
    id: 'blind',
    title: 'The monitor doubts what it sees.',
    since: sinceText(open?.fromMs, nowMs),
    text: `${why}Nobody is marked or evicted, and every clock stands still until it sees again.`,
  }
}

function disrupted({ status }: ReportedFleet, nowMs: number): Banner | undefined {
  if (!status?.disruption || status.disruption === 'none') return undefined
  return {
    id: 'disrupted',
    title: 'Every zone is down at once. Evictions are stopped.',
    since: sinceText(status.record?.disruptionSinceMs, nowMs),
    text:
      'It is likelier that a network is cut than that every host died, so all pods stay where ' +
      'they are. When a zone comes back, every clock starts afresh.',
  }
}

function paused(fleet: ReportedFleet, nowMs: number): Banner | undefined {
  const why = pausedBecause(fleet)
  if (why === undefined) return undefined
  const open = openInterval(fleet.status?.record?.stops ?? [])
  return {
    id: 'paused',
    title: 'Evictions are paused for the whole fleet.',
    since: sinceText(open?.fromMs, nowMs),
    text: why === '' ? 'No reason was given.' : `Reason: ${why}`,
  }
}

function observe({ status }: ReportedFleet): Banner | undefined {
  if (status?.mode !== 'observe') return undefined
  return {
    id: 'observe',
    title: 'Observe mode.',
    since: '',
    text: 'The monitor decides and tells what it would do, and changes nothing on nodes and pods.',
  }
}

const sinceText = (atMs: number | undefined, nowMs: number): string =>
  atMs === undefined ? '' : `Since ${clockAndAge(atMs, nowMs)}.`

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
