import type { Api } from './deps.ts'

// A process whose clock is off by more than this goes by the memory's clock instead.
const TRUSTED_SKEW_MS = 2_000

/** What time is it? Ours, unless DynamoDB's answers have shown that ours is wrong. */
export function nowOf({ clock, store }: Pick<Api, 'clock' | 'store'>): number {
  const skewMs = store.skewMs()
  return Math.abs(skewMs) > TRUSTED_SKEW_MS ? clock() - skewMs : clock()
}
