import { expect, it } from 'vitest'
import { tokenStorage } from '../../../dashboard/api/client.ts'

function fakeStorage() {
  const held = new Map<string, string>()
  const storage = {
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => void held.set(name, value),
    removeItem: (name: string) => void held.delete(name),
  }
  return { held, storage: storage as Storage }
}

it('keeps the token for a reload of the tab, and forgets it on request', () => {
  const { held, storage } = fakeStorage()
  tokenStorage(() => storage).write('secret')
  const reloaded = tokenStorage(() => storage)
  expect(reloaded.read()).toBe('secret')
  reloaded.clear()
  expect(reloaded.read()).toBeUndefined()
  expect(held.size).toBe(0)
})

it('works from memory where the browser allows no storage', () => {
  const token = tokenStorage(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  token.write('secret')
  expect(token.read()).toBe('secret')
  token.clear()
  expect(token.read()).toBeUndefined()
})
