import { expect, it } from 'vitest'
import { contactBook } from '../../../dashboard/page/contact-book.ts'

it('is lost while anybody who follows a list has lost it, and says since when it is quiet', () => {
  const book = contactBook(0)
  const [cells, zones] = [{}, {}]
  book.heard(cells, 1_000)
  book.lost(zones, 'gone')
  expect(book.now()).toEqual({ heardAtMs: 1_000, lost: 'gone' })
  book.heard(zones, 2_000)
  expect(book.now()).toEqual({ heardAtMs: 2_000 })
})

it('forgets the trouble of those who follow no more', () => {
  const book = contactBook(0)
  const view = {}
  book.lost(view, 'gone')
  book.left(view)
  expect(book.now().lost).toBeUndefined()
})

it('tells listeners of changes, and of nothing else', () => {
  const book = contactBook(0)
  let told = 0
  const leave = book.listen(() => told++)
  const view = {}
  book.heard(view, 1)
  book.lost(view, 'gone')
  book.heard(view, 2)
  leave()
  book.lost(view, 'gone')
  expect(told).toBe(2)
})
