/**
 * The walls of the house: who may import whom, what shared code may ask for, how long things may
 * get.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const FILE_WALL = 300
const LINE_WALL = 110
const rooms = ['functions', 'shared', 'infra', 'agent', 'dashboard', 'local', 'bench']
const sources = rooms.flatMap((room) => globSync(`${room}/**/*.{ts,tsx}`)).sort()
/** Clients in the languages of others, which have formatters of their own but no walls. */
const foreign = globSync('test/conformance/**/*.{go,py}')
const text = (file: string) => readFileSync(file, 'utf8')

/** Imports as repository paths (`shared/kube/time.ts`) or package names (`hono`). */
function importsOf(file: string): string[] {
  const found = text(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)
  return [...found].map(([, name = '']) =>
    name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  )
}

/** Breaches of a rule: files below `inside` importing something that `may` says no to. */
function breaches(inside: RegExp, may: (imported: string, file: string) => boolean): string[] {
  const files = sources.filter((file) => inside.test(file))
  return files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !may(imported, file))
      .map((imported) => `${file} imports ${imported}`),
  )
}

const isOurs = (name: string) => rooms.some((room) => name.startsWith(`${room}/`))
const below = (...folders: string[]) => {
  return (name: string) => !isOurs(name) || folders.some((folder) => name.startsWith(`${folder}/`))
}

describe('imports point inward', () => {
  it.each([
    { room: 'shared/kube', sees: ['shared/kube'] },
    { room: 'shared/lifecycle', sees: ['shared/lifecycle', 'shared/kube'] },
    { room: 'shared/auth', sees: ['shared/auth', 'shared/kube', 'shared/store'] },
    { room: 'shared/store', sees: ['shared/store', 'shared/lifecycle', 'shared/kube'] },
    { room: 'agent', sees: ['agent', 'shared/kube'] },
    { room: 'dashboard', sees: ['dashboard', 'shared/kube', 'shared/lifecycle'] },
  ])('$room sees only $sees', ({ room, sees }) => {
    expect(breaches(new RegExp(`^${room}/`), below(...sees))).toEqual([])
  })

  it('one function never imports another: they meet in the table or on the bus', () => {
    const owner = (file: string) => file.split('/').slice(0, 2).join('/')
    const may = (imported: string, file: string) =>
      !imported.startsWith('functions/') || owner(imported) === owner(file)
    expect(breaches(/^functions\//, may)).toEqual([])
  })

  it('the AWS SDK is known only to store, functions and local, the CDK only to infra', () => {
    const sdk = (name: string) => !name.startsWith('@aws-sdk/') && !name.startsWith('@smithy/')
    const cdk = (name: string) => !/^(aws-cdk-lib|constructs|cdk-nag)/.test(name)
    expect(breaches(/^(?!shared\/store\/|functions\/|local\/|bench\/)/, sdk)).toEqual([])
    expect(breaches(/^(?!infra\/)/, cdk)).toEqual([])
  })
})

describe('shared code', () => {
  it.each(['Date.now', 'Math.random', 'process.env', 'new Date()'])('never asks for %s', (word) => {
    const asks = (file: string) =>
      text(file)
        .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
        .includes(word)
    expect(sources.filter((file) => file.startsWith('shared/') && asks(file))).toEqual([])
  })

  it('has no drawers for odds and ends, and no barrels', () => {
    const drawer = /(^|\/)(utils?|common|helpers?|misc|index)(\.tsx?|\/)/
    expect(sources.filter((file) => drawer.test(file))).toEqual([])
  })
})

describe('sizes', () => {
  it(`no source file is longer than ${FILE_WALL} lines`, () => {
    const long = [...sources, ...foreign].filter(
      (file) => text(file).split('\n').length > FILE_WALL + 1,
    )
    expect(long).toEqual([])
  })

  it(`no line is longer than ${LINE_WALL} columns`, () => {
    const wide = [...sources, ...foreign].filter((file) =>
      text(file)
        .split('\n')
        .some((l) => l.length > LINE_WALL),
    )
    expect(wide).toEqual([])
  })
})

it('no test is skipped, focused or left for later', () => {
  const held = /\b(it|test|describe)\.(skip|only|todo)\b|\bt\.Skip|unittest\.skip/
  const tests = [...globSync('test/**/*.ts'), ...foreign]
  const isHeld = (file: string) => file !== 'test/tidy.test.ts' && held.test(text(file))
  expect(tests.filter(isHeld)).toEqual([])
})
