/** Why is this node as it is? The server's explanation, which knows the queue of the whole zone. */
import type { ExplanationObject } from '../../shared/kube/explanation/resource.ts'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { LEASEHOLD_GROUP, withFieldSelector } from '../api/paths.ts'
import type { NodeFeature } from '../views/node-feature.ts'
import { taintTimeIn } from './taint-time.ts'

/** The server reads the whole fleet for an answer. */
const POLL_MS = 10_000

export const nodeWhy: NodeFeature = {
  name: 'why',
  path: (node) => withFieldSelector(`${LEASEHOLD_GROUP}/explanations`, `metadata.name=${node}`),
  pollMs: POLL_MS,
  Panel: ({ object }) => <Why object={object} />,
  taintAtMs: (object) => taintTimeIn(object as ExplanationObject),
}

function Why({ object }: { readonly object: KubeObject | undefined }) {
  const { status } = (object ?? {}) as Partial<ExplanationObject>
  return (
    <section class="panel why-panel">
      <h2>Why</h2>
      {status && (
        <>
          <p>
            <b>{status.what}</b> <span class="dim">rule {status.rule}</span>
          </p>
          <ul>
            {status.because.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {status.undoneBy && <p class="dim">Undone by {status.undoneBy}.</p>}
        </>
      )}
    </section>
  )
}
