import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isNotHere, notHere } from './known-differences.ts'
import { loadVectors } from './vectors.ts'

const files = globSync('test/vectors/*.json').map((path) => path.slice('test/vectors/'.length))
const suites = globSync('test/**/*.test.ts').map((path) => readFileSync(path, 'utf8'))

describe.each(files.toSorted())('%s', (file) => {
  const name = file.replace(/\.json$/, '')

  it('is played by a suite', () => {
    expect(suites.some((text) => text.includes(`'${name}'`))).toBe(true)
  })

  it('has as many cases that are not here as docs/conformance.md says, each of a class', () => {
    const { cases } = loadVectors(name)
    const missing = cases.filter(({ given }) => isNotHere(file, given)).length
    expect(missing).toBe(notHere(file).reduce((sum, row) => sum + row.cases, 0))
  })
})
