/** The switch that stops evictions in a zone or everywhere, for those who may. */
import { useState } from 'preact/hooks'
import { PAUSED_ANNOTATION } from '../../shared/kube/resources/fleets.ts'
import { Confirm } from './confirm.tsx'
import { paths } from './fleet-status.ts'
import { useSession } from './session.ts'

interface PauseSwitchProps {
  readonly resource: 'zones' | 'fleets'
  readonly name: string
  /** For people: `zone-a`, `the whole fleet`. */
  readonly title: string
  readonly isPaused: boolean
}

export function PauseSwitch({ resource, name, title, isPaused }: PauseSwitchProps) {
  const { client, may } = useSession()
  const [isAsking, setAsking] = useState(false)
  if (!may('patch', 'leasehold.dev', resource)) return null

  const verb = isPaused ? 'Resume' : 'Pause'
  const change = async (reason: string | null) => {
    const annotations = { [PAUSED_ANNOTATION]: reason }
    const path = `${paths[resource]}/${encodeURIComponent(name)}`
    await client.send('PATCH', path, { metadata: { annotations } })
  }
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label={`${verb} evictions in ${title}`}
        onClick={() => setAsking(true)}
      >
        {verb} evictions
      </button>
      {isAsking && isPaused && (
        <Confirm
          title={`Resume evictions in ${title}?`}
          verb="Resume"
          act={() => change(null)}
          close={() => setAsking(false)}
        >
          <p>Countdowns go on from where they were when evictions were paused.</p>
        </Confirm>
      )}
      {isAsking && !isPaused && (
        <Confirm
          title={`Pause evictions in ${title}?`}
          verb="Pause"
          ask="Why? Everybody will see this."
          act={change}
          close={() => setAsking(false)}
        >
          <p>
            Silent nodes are still marked Unknown. None is tainted NoExecute and no pod is deleted
            until somebody resumes.
          </p>
        </Confirm>
      )}
    </>
  )
}
