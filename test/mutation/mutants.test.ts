import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mutants } from './mutants.ts'

describe('the lines that npm run mutants spoils', () => {
  it.each(mutants)('$file: $promise', ({ file, line, spoiled, caughtBy }) => {
    expect(readFileSync(file, 'utf8').split(line).length - 1, 'how often the line is there').toBe(1)
    expect(spoiled).not.toBe(line)
    expect(existsSync(caughtBy)).toBe(true)
  })
})
