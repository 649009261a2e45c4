import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../shared/kube/status-error.ts'
import { parseYaml } from '../../../shared/kube/yaml.ts'

const laughs = Array.from({ length: 12 }, (_, level) => {
  const below = level === 0 ? 'x' : `*a${level - 1}`
  return `a${level}: &a${level} [${Array(10).fill(below).join(', ')}]`
}).join('\n')

describe('parseYaml', () => {
  it('reads what people write', async () => {
    const text = `
# a node
kind: Node
metadata:
  labels: {zone: "1", spot: 'true'}
spec:
  taints:
  - key: a
    effect: NoSchedule
status:
  capacity: {cpu: 4}
  conditions: [{type: Ready, lastHeartbeatTime: 2024-01-02T03:04:05Z}]
`
    expect(await parseYaml(text)).toEqual({
      kind: 'Node',
      metadata: { labels: { zone: '1', spot: 'true' } },
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: {
        capacity: { cpu: 4 },
        conditions: [{ type: 'Ready', lastHeartbeatTime: '2024-01-02T03:04:05Z' }],
      },
    })
  })

  it('reads anchors, aliases and merge keys', async () => {
    const text = 'a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}'
    expect(await parseYaml(text)).toEqual({ a: { x: 1 }, b: { x: 1 }, c: { x: 1, y: 2 } })
  })

  it.each([
    { when: 'the syntax is wrong', text: 'a: [1' },
    { when: 'there are two documents', text: 'a: 1\n---\nb: 2' },
    { when: 'a key is written twice', text: 'a: 1\na: 2' },
    { when: 'an alias has no anchor', text: 'a: *b' },
    { when: 'aliases multiply', text: laughs },
    { when: 'an anchor holds itself', text: 'a: &a [*a, *a]' },
    { when: 'it nests too deep', text: `${'['.repeat(65)}${']'.repeat(65)}` },
    { when: 'it nests far too deep', text: '['.repeat(20_000) },
    {
      when: 'mappings nest far too deep',
      text: Array.from({ length: 500 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
    },
  ])('refuses the text when $when', async ({ text }) => {
    await expect(parseYaml(text)).rejects.toBeInstanceOf(StatusError)
  })

  it('says in which line the fault is', async () => {
    await expect(parseYaml('a: 1\nb: *nobody\nc: }')).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(/^yaml parse error: .* at line 3$/),
    })
  })

  it('reads thousands of keys without comparing each with all', async () => {
    const keys = Array.from({ length: 3_000 }, (_, index) => `k${index}: 1`).join('\n')
    expect(Object.keys((await parseYaml(keys)) as object)).toHaveLength(3_000)
  })

  it('refuses a text of more than 32 KiB', async () => {
    await expect(parseYaml(' '.repeat(32_769))).rejects.toMatchObject({ code: 413 })
  })

  it('keeps hostile keys as keys', async () => {
    const value = (await parseYaml('__proto__: {polluted: 1}\nconstructor: 2')) as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it('throws nothing but a StatusError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        const error = await parseYaml(text).catch((thrown) => thrown)
        if (error instanceof Error) expect(error).toBeInstanceOf(StatusError)
      }),
    )
  })
})
