/** Can we trust our own eyes? A beat of our own, the api's own words, and the clock. */
import type { Signs } from '../../../shared/lifecycle/blindness.ts'
import { DISTRESS_RECORD, type Distress } from '../../../shared/lifecycle/meeting-points.ts'
import type { Session } from '../session.ts'

export async function readSigns(session: Session, nowMs: number): Promise<Signs> {
  const [distress] = await Promise.all([readDistress(session), beatOurself(session, nowMs)])
  const failing = session.canaryFailingSinceMs
  session.signs = {
    skewMs: session.deps.store.skewMs(),
    ...(distress && { distress }),
    ...(failing !== undefined && { canaryFailingSinceMs: failing }),
  }
  return session.signs
}

/** Between ticks: the canary's last word, the api's newest. */
export async function rereadSigns(session: Session): Promise<Signs> {
  const distress = await readDistress(session)
  const skewMs = session.deps.store.skewMs()
  session.signs = { ...session.signs, skewMs, ...(distress && { distress }) }
  return session.signs
}

async function readDistress({ deps }: Session): Promise<Distress | undefined> {
  return (await deps.store.records.get<Distress>(DISTRESS_RECORD))?.value
}

async function beatOurself(session: Session, nowMs: number): Promise<void> {
  const { canary, log } = session.deps
  if (!canary) return
  try {
    await canary(nowMs)
    session.canaryOkAtMs = nowMs
    session.canaryFailingSinceMs = undefined
  } catch (error) {
    if (session.canaryFailingSinceMs === undefined) {
      log({ level: 'warn', message: 'a beat of our own did not get through: we are blind', error })
    }
    // Since the last one that did, nobody can say whose beats were lost.
    session.canaryFailingSinceMs ??= session.canaryOkAtMs ?? nowMs
  }
}
