import { expect, it } from 'vitest'
import { tokenShelf } from '../../../dashboard/page/token-shelf.ts'

function drawer() {
  const held = new Map<string, string>()
  const storage = {
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => void held.set(name, value),
    removeItem: (name: string) => void held.delete(name),
  }
  return { held, storage: storage as Storage }
}

it('keeps the token for a reload of the tab, and forgets it on request', () => {
  const { held, storage } = drawer()
  tokenShelf(() => storage).keep('secret')
  const reloaded = tokenShelf(() => storage)
  expect(reloaded.read()).toBe('secret')
  reloaded.forget()
  expect(reloaded.read()).toBeUndefined()
  expect(held.size).toBe(0)
})

it('works from memory where the browser allows no storage', () => {
  const shelf = tokenShelf(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  shelf.keep('secret')
  expect(shelf.read()).toBe('secret')
  shelf.forget()
  expect(shelf.read()).toBeUndefined()
})
