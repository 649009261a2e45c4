/** Pauses evictions in a zone or everywhere, for users who may do so. */
import { useState } from 'preact/hooks'
import { PAUSED_ANNOTATION } from '../../shared/kube/fleet/resource.ts'
import { paths } from '../api/paths.ts'
import { Confirm } from './confirm.tsx'
import { useSession } from './session.ts'

interface PauseSwitchProps {
  readonly resource: 'zones' | 'fleets'
  readonly name: string
  /** As shown: `zone-a`, `the whole fleet`. */
  readonly title: string
  readonly isPaused: boolean
}

export function PauseSwitch({ resource, name, title, isPaused }: PauseSwitchProps) {
  const { client, may } = useSession()
  const [isAsking, setAsking] = useState(false)
  if (!may('patch', 'leasehold.dev', resource)) return null

  const verb = isPaused ? 'Resume' : 'Pause'
  const act = (reason: string) => {
    const annotations = { [PAUSED_ANNOTATION]: isPaused ? null : reason }
    const path = `${paths[resource]}/${encodeURIComponent(name)}`
    return client.send('PATCH', path, { metadata: { annotations } })
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
      {isAsking && (
        <Confirm
          title={`${verb} evictions in ${title}?`}
          verb={verb}
          ask={isPaused ? undefined : 'Why? Everybody will see this.'}
          act={act}
          close={() => setAsking(false)}
        >
          {isPaused
            ? 'Countdowns go on from where they were when evictions were paused.'
            : 'Silent nodes are still marked Unknown. None is tainted NoExecute and no pod is ' +
              'deleted until somebody resumes.'}
        </Confirm>
      )}
    </>
  )
}
