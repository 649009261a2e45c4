/** What one can do to a node, offered to those who may. */
import { useState } from 'preact/hooks'
import type { Node } from '../../shared/kube/objects.ts'
import { Confirm } from '../page/confirm.tsx'
import { paths } from '../page/fleet-status.ts'
import { useSession } from '../page/session.ts'
import { amount } from '../state/words.ts'

interface NodeActionsProps {
  readonly node: Node
  readonly podCount: number
}

export function NodeActions({ node, podCount }: NodeActionsProps) {
  const { may } = useSession()
  const [asking, setAsking] = useState<'cordon' | 'delete'>()
  const close = () => setAsking(undefined)
  const isCordoned = node.spec?.unschedulable === true
  return (
    <div class="actions">
      {may('patch', '', 'nodes') && (
        <button type="button" onClick={() => setAsking('cordon')}>
          {isCordoned ? 'Uncordon' : 'Cordon'}
        </button>
      )}
      {may('delete', '', 'nodes') && (
        <button type="button" class="danger" onClick={() => setAsking('delete')}>
          Delete
        </button>
      )}
      {asking === 'cordon' && <Cordon node={node} isCordoned={isCordoned} close={close} />}
      {asking === 'delete' && <Delete node={node} podCount={podCount} close={close} />}
    </div>
  )
}

const pathOf = ({ metadata }: Node) => `${paths.nodes}/${encodeURIComponent(metadata.name ?? '')}`

interface CordonProps {
  readonly node: Node
  readonly isCordoned: boolean
  readonly close: () => void
}

function Cordon({ node, isCordoned, close }: CordonProps) {
  const { client } = useSession()
  const verb = isCordoned ? 'Uncordon' : 'Cordon'
  const change = async () => {
    await client.send('PATCH', pathOf(node), { spec: { unschedulable: isCordoned ? null : true } })
  }
  return (
    <Confirm title={`${verb} ${node.metadata.name}?`} verb={verb} act={change} close={close}>
      <p>
        {isCordoned
          ? 'New pods may be bound to it again.'
          : 'No new pods are bound to it. Those that are there stay.'}
      </p>
    </Confirm>
  )
}

interface DeleteProps {
  readonly node: Node
  readonly podCount: number
  readonly close: () => void
}

function Delete({ node, podCount, close }: DeleteProps) {
  const { client } = useSession()
  const remove = async () => {
    // The one that was looked at, not another that has taken its name since.
    const preconditions = { uid: node.metadata.uid }
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions }
    await client.send('DELETE', pathOf(node), options)
  }
  return (
    <Confirm
      title={`Delete ${node.metadata.name}?`}
      verb="Delete"
      isDangerous
      act={remove}
      close={close}
    >
      <p>
        Its lease goes with it{podCount > 0 && `, and so do its ${amount(podCount, 'pod')}`}. A host
        whose agent still runs registers itself again.
      </p>
    </Confirm>
  )
}
