import { expect, it } from 'vitest'
import { cells } from '../../../../shared/kube/cells/resource.ts'
import { toTable } from '../../../../shared/kube/table.ts'

it('prints how many nodes a part of a zone has', () => {
  const part = { metadata: { name: 'eu.a-0' }, zone: 'eu.a', nodes: 'a r 0\nb u 1' }
  const { rows } = toTable({ resource: cells, objects: [part], nowMs: 0 })
  expect(rows[0]?.cells.slice(0, 3)).toEqual(['eu.a-0', 'eu.a', 2])
})
