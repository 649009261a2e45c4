/** Cordon and delete, for users who may do so. */
import { useState } from 'preact/hooks'
import type { Node } from '../../shared/kube/objects.ts'
import { paths } from '../api/paths.ts'
import { Confirm } from '../page/confirm.tsx'
import { useSession } from '../page/session.ts'
import { amount } from '../state/format.ts'

interface NodeActionsProps {
  readonly node: Node
  readonly podCount: number
}

export function NodeActions({ node: { metadata, spec }, podCount }: NodeActionsProps) {
  const { client, may } = useSession()
  const [asking, setAsking] = useState<'cordon' | 'delete'>()
  const close = () => setAsking(undefined)
  const { name = '', uid } = metadata
  const path = `${paths.nodes}/${encodeURIComponent(name)}`
  const isCordoned = spec?.unschedulable === true
  const verb = isCordoned ? 'Uncordon' : 'Cordon'

  const cordon = () =>
    client.send('PATCH', path, { spec: { unschedulable: isCordoned ? null : true } })
  // With the uid, so that another node that has taken the name since is not deleted.
  const remove = () =>
    client.send('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } })
  return (
    <div class="actions">
      {may('patch', '', 'nodes') && (
        <button type="button" onClick={() => setAsking('cordon')}>
          {verb}
        </button>
      )}
      {may('delete', '', 'nodes') && (
        <button type="button" class="danger" onClick={() => setAsking('delete')}>
          Delete
        </button>
      )}
      {asking === 'cordon' && (
        <Confirm title={`${verb} ${name}?`} verb={verb} act={cordon} close={close}>
          {isCordoned
            ? 'New pods may be bound to it again.'
            : 'No new pods are bound to it. Those that are there stay.'}
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm title={`Delete ${name}?`} verb="Delete" isDangerous act={remove} close={close}>
          Its lease goes with it{podCount > 0 && `, and so do its ${amount(podCount, 'pod')}`}. A
          host whose agent still runs registers itself again.
        </Confirm>
      )}
    </div>
  )
}
