import { describe, expect, it } from 'vitest'
import { parseSettings } from '../../../../shared/lifecycle/settings.ts'

describe('settings', () => {
  it.each([{ given: { 'allocate-node-cidrs': 'true' }, says: 'needs cluster-cidr' }])(
    'refuse $given and say why',
    ({ given, says }) => {
      const parsed = parseSettings((name) => new Map(Object.entries(given)).get(name))
      expect(parsed.kind === 'invalid' && parsed.problems.join()).toContain(says)
    },
  )
})
