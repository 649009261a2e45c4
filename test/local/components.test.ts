import { expect, it } from 'vitest'
import { components } from '../../local/components.ts'

const component = (stopped: string[], name: string) => async () => ({
  value: name,
  stop: async () => void stopped.push(name),
})

it('stops what it started in reverse order, once', async () => {
  const stopped: string[] = []
  const all = components()
  expect((await all.add('a', component(stopped, 'a'))).value).toBe('a')
  await all.add('b', component(stopped, 'b'))

  expect(await all.stop()).toEqual([])
  expect(await all.stop()).toEqual([])
  expect(stopped).toEqual(['b', 'a'])
})

it('names what would not stop and goes on with the rest', async () => {
  const stopped: string[] = []
  const all = components()
  await all.add('a', component(stopped, 'a'))
  await all.add('bad', async () => ({ stop: async () => Promise.reject(new Error('no')) }))

  expect(await all.stop()).toEqual(['bad'])
  expect(stopped).toEqual(['a'])
})

it('does not remember a part that failed to start', async () => {
  const all = components()
  const failing = async (): Promise<never> => Promise.reject(new Error('taken'))
  await expect(all.add('a', failing)).rejects.toThrow('taken')
  expect(await all.stop()).toEqual([])
})
