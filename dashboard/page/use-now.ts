/** The server's time, again and again, for whatever counts up or down. */
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

/** Smooth where that is welcome; once a second for people who asked for less motion. */
export const smoothPeriodMs = (): number =>
  matchMedia('(prefers-reduced-motion: reduce)').matches ? SECOND_MS : 200
