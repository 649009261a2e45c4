import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { everyPromise } from './vector-promises.ts'

describe('the lines that npm run mutants -- --promises spoils', () => {
  it.each(everyPromise)('$file: $promise', ({ file, line, spoiled, caughtBy }) => {
    expect(readFileSync(file, 'utf8').split(line).length - 1, 'how often the line is there').toBe(1)
    expect(spoiled).not.toBe(line)
    expect(existsSync(caughtBy)).toBe(true)
  })
})
