import { describe, expect, it } from 'vitest'
import { parseDurationMs } from '../../../shared/kube/duration.ts'

describe('durations', () => {
  it.each([
    { text: '50s', ms: 50_000 },
    { text: '1m30s', ms: 90_000 },
    { text: '500ms', ms: 500 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '250us', ms: 0.25 },
    { text: '0', ms: 0 },
    { text: '-2s', ms: -2_000 },
    { text: '', ms: undefined },
    { text: '50', ms: undefined },
    { text: '5 s', ms: undefined },
    { text: 's', ms: undefined },
    { text: '-', ms: undefined },
  ])('read $text as $ms ms', ({ text, ms }) => {
    expect(parseDurationMs(text)).toBe(ms)
  })
})
