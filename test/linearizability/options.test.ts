import { describe, expect, it } from 'vitest'
import { parseFlags, UsageError } from '../../shared/flags/flag-set.ts'
import { flags, readOptions } from './options.ts'

const parse = (...argv: string[]) => readOptions(parseFlags(flags, argv).values, 42)

describe('the command line', () => {
  it('has defaults', () => {
    expect(parse()).toMatchObject({ seconds: 60, kills: 5, lost: 12, seed: 42, clients: 8 })
  })

  it('takes numbers, a folder and the lane', () => {
    expect(parse('--minutes', '10', '--kills', '50', '--seed', '7', '--out', 'x')).toMatchObject({
      seconds: 600,
      kills: 50,
      seed: 7,
      out: 'x',
    })
    expect(parse('--seconds', '30')).toMatchObject({ seconds: 30 })
    expect(parse('--lane', '--seed', '3')).toMatchObject({
      seconds: 75,
      kills: 6,
      lost: 14,
      seed: 3,
    })
  })

  it.each([
    { argv: ['--minutes', '1', '--seconds', '9'], says: /not both/ },
    { argv: ['--seconds', 'soon'], says: /from 5 seconds/ },
    { argv: ['--minutes', '600'], says: /60 minutes/ },
    { argv: ['--kills', '-1'], says: /kills/ },
    { argv: ['--kills', '1.5'], says: /whole number/ },
    { argv: ['--colour'], says: /--colour/ },
    { argv: ['more'], says: /more/ },
  ])('refuses $argv', ({ argv, says }) => {
    expect(() => parse(...argv)).toThrow(UsageError)
    expect(() => parse(...argv)).toThrow(says)
  })
})
