import { expect, it } from 'vitest'
import { mayOf } from '../../../dashboard/state/permissions.ts'

const rule = (
  verbs: string[],
  apiGroups: string[],
  resources: string[],
  resourceNames?: string[],
) => mayOf({ status: { resourceRules: [{ verbs, apiGroups, resources, resourceNames }] } })

it.each([
  { when: 'everything is allowed', may: rule(['*'], ['*'], ['*']), says: true },
  { when: 'exactly this is', may: rule(['patch'], [''], ['nodes']), says: true },
  { when: 'only another verb is', may: rule(['get'], [''], ['nodes']), says: false },
  { when: 'only another group is', may: rule(['patch'], ['apps'], ['nodes']), says: false },
  { when: 'only some objects are', may: rule(['patch'], [''], ['nodes'], ['a']), says: false },
  { when: 'nothing is', may: mayOf({}), says: false },
])('offers to cordon: $says when $when', ({ may, says }) => {
  expect(may('patch', '', 'nodes')).toBe(says)
})
