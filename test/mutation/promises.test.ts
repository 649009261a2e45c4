import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { everyPromise } from './vector-promises.ts'

/** Those of a deleted feature went with its sources and its suites. */
const promises = everyPromise.filter(
  ({ file, caughtBy }) => existsSync(file) || existsSync(caughtBy),
)

describe('the lines that npm run mutants -- --promises spoils', () => {
  it.each(promises)('$file: $promise', ({ file, line, spoiled, caughtBy }) => {
    expect(readFileSync(file, 'utf8').split(line).length - 1, 'how often the line is there').toBe(1)
    expect(spoiled).not.toBe(line)
    expect(existsSync(caughtBy)).toBe(true)
  })
})
