import { describe, expect, it } from 'vitest'
import { type BatchItem, commitBatch } from '../../../../functions/monitor/apply/commit-batch.ts'
import { tooManyRequests } from '../../../../shared/kube/status-error.ts'
import type { Commit, Store, WriteStep } from '../../../../shared/store/ports.ts'

const step = (name: string): WriteStep => ({ do: 'confirmRecord', name })
const item = (name: string): BatchItem<string> => ({
  of: name,
  steps: [step(name), step(`${name}2`)],
})
const nameOf = (one: WriteStep) => (one as { name: string }).name

/** Answers by what it is asked for; says what it was asked. */
function scripted(answer: (names: readonly string[]) => Commit | Error) {
  const asked: string[][] = []
  const commit = async (steps: readonly WriteStep[]) => {
    const names = steps.map(nameOf)
    asked.push(names)
    const said = answer(names)
    if (said instanceof Error) throw said
    return said
  }
  return { asked, store: { commit } as unknown as Store }
}

const committed = (names: readonly string[]): Commit => ({
  kind: 'committed',
  versions: names.map((_, at) => at + 1),
})
const outrunAt = (...steps: number[]): Commit => ({ kind: 'outrun', steps })

describe('many items as one transaction', () => {
  it('gives everybody their own versions', async () => {
    const { store, asked } = scripted(committed)
    const results = await commitBatch(store, [item('a'), item('b')], [step('shared')])
    expect(asked).toEqual([['shared', 'a', 'a2', 'b', 'b2']])
    expect(results).toEqual([
      { kind: 'done', of: 'a', versions: [2, 3] },
      { kind: 'done', of: 'b', versions: [4, 5] },
    ])
  })

  it('sends the rest again when some were outrun', async () => {
    const { store, asked } = scripted((names) =>
      names.includes('b') ? outrunAt(3) : committed(names),
    )
    const results = await commitBatch(store, [item('a'), item('b'), item('c')])
    expect(asked).toHaveLength(2)
    expect(results.map(({ kind, of }) => `${of} ${kind}`)).toEqual(['b outrun', 'a done', 'c done'])
  })

  it('gives all up when what they rest on is gone', async () => {
    const { store, asked } = scripted(() => outrunAt(0))
    const results = await commitBatch(store, [item('a'), item('b')], [step('shared')])
    expect(asked).toHaveLength(1)
    expect(results.map(({ kind }) => kind)).toEqual(['outrun', 'outrun'])
  })

  it('asks no more when nobody is named', async () => {
    const { store, asked } = scripted(() => outrunAt())
    expect((await commitBatch(store, [item('a')]))[0]?.kind).toBe('outrun')
    expect(asked).toHaveLength(1)
  })

  it('finds the one bad record among many, and does the others', async () => {
    const { store } = scripted((names) =>
      names.includes('bad') ? new Error('cannot be written') : committed(names),
    )
    const names = ['a', 'b', 'bad', 'c', 'd']
    const results = await commitBatch(store, names.map(item))
    expect(results.map(({ kind }) => kind)).toEqual(['done', 'done', 'failed', 'done', 'done'])
  })

  it('does not ask a store in trouble more often', async () => {
    const { store, asked } = scripted(() => tooManyRequests('slow down', 1))
    const results = await commitBatch(store, [item('a'), item('b')])
    expect(asked).toHaveLength(1)
    expect(results.map(({ kind }) => kind)).toEqual(['failed', 'failed'])
  })
})
