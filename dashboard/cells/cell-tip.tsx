/** The tooltip of a node in the canvas. Only then its lease is read, for the time of its last beat. */
import { useEffect, useState } from 'preact/hooks'
import type { Lease } from '../../shared/kube/objects.ts'
import type { NodeSummary } from '../../shared/lifecycle/liveness/node-summary.ts'
import type { KubeList } from '../api/collection.ts'
import { nodeLeasePath } from '../api/paths.ts'
import { useSession } from '../page/session.ts'
import { StateName } from '../page/shape.tsx'
import { useNow } from '../page/use-now.ts'
import { resourceVersionMs } from '../state/fleet-objects.ts'
import { ago, span } from '../state/format.ts'
import type { Grid } from './grid.ts'

interface CellTipProps {
  readonly node: NodeSummary
  readonly grid: Grid
  readonly xPx: number
  readonly yPx: number
}

/** A pointer that only passes over a node reads no lease. */
const HOVER_DELAY_MS = 120
const WIDTH_PX = 220

export function CellTip({ node, grid, xPx, yPx }: CellTipProps) {
  const nowMs = useNow()
  const beatMs = useLastBeat(node.name)
  const leftPx = Math.max(0, Math.min(xPx, grid.columns * grid.pitchPx - WIDTH_PX))
  const forText = node.sinceSeconds ? ` for ${span(nowMs - node.sinceSeconds * 1000)}` : ''
  return (
    <>
      <div
        class="ring"
        style={{
          left: `${xPx}px`,
          top: `${yPx}px`,
          width: `${grid.pitchPx}px`,
          height: `${grid.pitchPx}px`,
        }}
      />
      <div class="tip" style={{ left: `${leftPx}px`, top: `${yPx + grid.pitchPx + 6}px` }}>
        <b>{node.name}</b>
        <span>
          <StateName state={node.state} />
          {node.state === 'evicting' && ', not ready'}
          {forText}
        </span>
        <span>{beatMs === undefined ? 'last beat …' : beatText(beatMs, nowMs)}</span>
      </div>
    </>
  )
}

const beatText = (beatMs: number | 'none', nowMs: number) =>
  beatMs === 'none' ? 'has no lease' : `last beat ${ago(beatMs, nowMs)}`

function useLastBeat(name: string): number | 'none' | undefined {
  const { client } = useSession()
  const [beat, setBeat] = useState<{ name: string; atMs: number | 'none' }>()
  useEffect(() => {
    const ending = new AbortController()
    const read = async () => {
      const { items } = await client.get<KubeList<Lease>>(nodeLeasePath(name), ending)
      const [lease] = items ?? []
      setBeat({ name, atMs: (lease && resourceVersionMs(lease)) ?? 'none' })
    }
    // Without an answer the tooltip leaves it out.
    const timer = setTimeout(() => void read().catch(() => {}), HOVER_DELAY_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [client, name])
  return beat?.name === name ? beat.atMs : undefined
}
