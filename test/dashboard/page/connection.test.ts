import { expect, it } from 'vitest'
import { connection } from '../../../dashboard/page/connection.ts'

it('is lost while any watched list has lost it, and says when the server last answered', () => {
  const [cells, zones] = [{}, {}]
  connection.heard(cells, 1_000)
  connection.lost(zones, 'gone')
  expect(connection.state()).toEqual({ heardAtMs: 1_000, lost: 'gone' })
  connection.heard(zones, 2_000)
  expect(connection.state()).toEqual({ heardAtMs: 2_000 })
})

it('forgets the failure of a list that is no longer watched', () => {
  const view = {}
  connection.lost(view, 'gone')
  connection.closed(view)
  expect(connection.state().lost).toBeUndefined()
})

it('tells listeners of changes, and of nothing else', () => {
  let told = 0
  const unsubscribe = connection.subscribe(() => told++)
  const view = {}
  connection.heard(view, 1)
  connection.lost(view, 'gone')
  connection.heard(view, 2)
  unsubscribe()
  connection.lost(view, 'gone')
  expect(told).toBe(2)
  connection.closed(view)
})
