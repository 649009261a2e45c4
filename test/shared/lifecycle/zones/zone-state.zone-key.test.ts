import { describe, expect } from 'vitest'
import { isExcludedFromDisruption, zoneKey } from '../../../../shared/lifecycle/zones/zone-state.ts'
import { casesOf, runCases } from '../vectors.ts'

type Labels = Readonly<Record<string, string>> | null

describe('zone-key vectors', () => {
  const cases = casesOf<{ labels: Labels }, { zoneKey: string; excluded?: boolean }>('zone-key')
  runCases('zone-key', cases, ({ labels }, expected) => {
    const node = { metadata: labels ? { labels } : {} }
    expect(zoneKey(node)).toBe(expected.zoneKey)
    if (expected.excluded === undefined) return
    expect(isExcludedFromDisruption(node)).toBe(expected.excluded)
  })
})
