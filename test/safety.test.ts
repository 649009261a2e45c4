/** docs/safety.md says why a living host is not condemned. Each name on it is looked up here. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { playPromise } from './mutation/play-promises.ts'
import { promises } from './mutation/promises.ts'

const PLAY_MS = 60_000
const INVARIANTS = 8

const page = readFileSync('docs/safety.md', 'utf8')
const sections = page.split(/^## (?=\d)/m).slice(1)
const partOf = (section: string, name: string) =>
  new RegExp(`^- \\*\\*${name}\\*\\*([\\s\\S]*?)(?=^- \\*\\*|^## |(?![\\s\\S]))`, 'm').exec(
    section,
  )?.[1] ?? ''

interface Link {
  readonly name: string
  readonly file: string
}

const linksIn = (text: string): readonly Link[] =>
  [...text.matchAll(/\[`(\w+)`\]\(\.\.\/([^)]+)\)/g)].map(([, name = '', file = '']) => ({
    name,
    file,
  }))

interface Spoiled {
  readonly promise: string
  readonly test: string
  readonly finds: string | undefined
}

const spoiledIn = (text: string): readonly Spoiled[] =>
  [...text.matchAll(/"([^"]+)":\s+\[[^\]]+\]\(\.\.\/([^)]+)\)\s+(?:finds `([^`]+)`|fails)/g)].map(
    ([, promise = '', test = '', finds]) => ({ promise, test, finds }),
  )

const isDeclared = ({ name, file }: Link) =>
  new RegExp(`^(export )?(async )?(function|const) ${name}\\b`, 'm').test(
    readFileSync(file, 'utf8'),
  )

const promised = (name: string) => promises.find(({ promise }) => promise === name)

describe('docs/safety.md', () => {
  it('has a section for each invariant, in order', () => {
    const numbers = sections.map((section) => Number.parseInt(section, 10))
    expect(numbers).toEqual(Array.from({ length: INVARIANTS }, (_, at) => at + 1))
  })

  it('links to files that are there', () => {
    const files = [...page.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file)
    expect(files.filter((file) => !existsSync(file))).toEqual([])
  })
})

describe.each(sections.map((section) => ({ title: section.split('\n', 1)[0]!, section })))(
  '$title',
  ({ title, section }) => {
    const number = Number.parseInt(title, 10)
    const spoiled = spoiledIn(partOf(section, 'Broken by'))

    it('is upheld by functions that are there', () => {
      const links = linksIn(partOf(section, 'Upheld by'))
      expect(links.length).toBeGreaterThan(0)
      expect(links.filter((link) => !isDeclared(link))).toEqual([])
    })

    it('is checked in the simulation', () => {
      const checks = linksIn(partOf(section, 'Checked by'))
      const checker = readFileSync('test/simulation/invariant-checker.ts', 'utf8')
      const list = /invariants: readonly Invariant\[\] = \[([\s\S]*?)\n {2}\]/.exec(checker)?.[1]
      expect(checks.length).toBeGreaterThan(0)
      expect(checks.filter((check) => !isDeclared(check))).toEqual([])
      expect(checks.filter(({ name }) => !list?.includes(name))).toEqual([])
    })

    it('is broken by lines that npm run mutants -- --promises spoils', () => {
      const quoted = partOf(section, 'Broken by').match(/"[^"]+"/g) ?? []
      expect(spoiled.length).toBe(quoted.length)
      for (const { promise, test, finds } of spoiled) {
        expect(promised(promise), promise).toMatchObject({ caughtBy: test })
        expect(promised(promise)?.breaks, promise).toBe(finds)
      }
    })

    it('is found broken by its own check when the first of them is spoiled', {
      timeout: PLAY_MS,
    }, () => {
      const [first] = spoiled
      expect(first?.finds).toMatch(new RegExp(`^${number} `))
      expect(playPromise(promised(first!.promise)!).verdict).toBe('caught')
    })
  },
)
