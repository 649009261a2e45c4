/**
 * What a cell says when it is pointed at. Only then its lease is read: for how long it has been
 * silent.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Lease } from '../../shared/kube/objects.ts'
import type { Cell } from '../../shared/lifecycle/cells.ts'
import type { KubeList } from '../api/collection.ts'
import type { Grid } from '../cells/grid.ts'
import { nodeLeasePath } from '../page/fleet-status.ts'
import { useSession } from '../page/session.ts'
import { StateName } from '../page/shape.tsx'
import { useNow } from '../page/use-now.ts'
import { writtenAtMs } from '../state/fleet-objects.ts'
import { ago, span } from '../state/words.ts'

interface CellTipProps {
  readonly cell: Cell
  readonly grid: Grid
  readonly xPx: number
  readonly yPx: number
}

/** A pointer on its way across asks for nothing. */
const LINGER_MS = 120
const WIDTH_PX = 220

export function CellTip({ cell, grid, xPx, yPx }: CellTipProps) {
  const nowMs = useNow()
  const beatMs = useBeat(cell.name)
  const leftPx = Math.max(0, Math.min(xPx, grid.columns * grid.pitchPx - WIDTH_PX))
  const forText = cell.sinceSeconds ? ` for ${span(nowMs - cell.sinceSeconds * 1000)}` : ''
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
        <b>{cell.name}</b>
        <span>
          <StateName state={cell.state} />
          {cell.state === 'evicting' && ', not ready'}
          {forText}
        </span>
        <span>{beatMs === undefined ? 'last beat …' : beatText(beatMs, nowMs)}</span>
      </div>
    </>
  )
}

const beatText = (beatMs: number | 'none', nowMs: number) =>
  beatMs === 'none' ? 'has no lease' : `last beat ${ago(beatMs, nowMs)}`

function useBeat(name: string): number | 'none' | undefined {
  const { client } = useSession()
  const [beat, setBeat] = useState<{ name: string; atMs: number | 'none' }>()
  useEffect(() => {
    const ending = new AbortController()
    const ask = async () => {
      const { items } = await client.get<KubeList<Lease>>(nodeLeasePath(name), ending)
      const [lease] = items ?? []
      setBeat({ name, atMs: (lease && writtenAtMs(lease)) ?? 'none' })
    }
    // Without an answer the tip simply does not say it.
    const timer = setTimeout(() => void ask().catch(() => {}), LINGER_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [client, name])
  return beat?.name === name ? beat.atMs : undefined
}
