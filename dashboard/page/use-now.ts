/** The server's time, updated every period, for what counts up or down. */
import { useEffect, useState } from 'preact/hooks'
import { useSession } from './session.ts'

export const SECOND_MS = 1000

export function useNow(periodMs = SECOND_MS): number {
  const { client } = useSession()
  const [nowMs, setNowMs] = useState(client.nowMs())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(client.nowMs()), periodMs)
    return () => clearInterval(timer)
  }, [client, periodMs])
  return nowMs
}

/** Smooth, or once a second for users who asked for reduced motion. */
export const smoothPeriodMs = (): number =>
  matchMedia('(prefers-reduced-motion: reduce)').matches ? SECOND_MS : 200
